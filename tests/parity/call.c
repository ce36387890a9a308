// Asks one question through the C door: call <root> <tool> <arguments>

#include <mast.h>
#include <stdio.h>

int main(int argc, char **argv) {
    if (argc != 4)
        return 2;
    char options[4096];
    MastError error;
    snprintf(options, sizeof options, "{\"root\":\"%s\"}", argv[1]);
    Mast *mast = mast_open(options, &error);
    char *reply = mast == NULL ? NULL : mast_call(mast, argv[2], argv[3], NULL, &error);
    if (reply == NULL) {
        printf("%s: %s\n", mast_code_name((int32_t)error.code), error.message);
        mast_free_string(error.message);
    } else {
        printf("%s\n", reply);
    }
    mast_free_string(reply);
    mast_close(mast);
    return 0;
}
