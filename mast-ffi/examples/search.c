// Indexes a project and searches it: search <project> <words>
//
//   cc search.c $(pkg-config --cflags --libs mast) -o search

#include <mast.h>
#include <stdio.h>

// Prints why something failed and frees the message.
static int fail(const char *doing, MastError *error) {
    fprintf(stderr, "%s: %s (%s)\n", doing, error->message, mast_code_name((int32_t)error->code));
    mast_free_string(error->message);
    return 1;
}

// Writes `text` as a JSON string, so that any words can be searched for.
static void quote(char *out, size_t size, const char *text) {
    size_t used = 0;
    for (; *text != '\0' && used + 8 < size; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\') {
            out[used++] = '\\';
            out[used++] = (char)byte;
        } else if (byte < 0x20) {
            used += (size_t)snprintf(out + used, size - used, "\\u%04x", byte);
        } else {
            out[used++] = (char)byte;
        }
    }
    out[used] = '\0';
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: search <project> <words>\n");
        return 2;
    }
    char quoted[1024], json[1100];
    MastError error;

    quote(quoted, sizeof quoted, argv[1]);
    snprintf(json, sizeof json, "{\"root\":\"%s\"}", quoted);
    Mast *mast = mast_open(json, &error);
    if (mast == NULL)
        return fail("open", &error);

    char *reply = mast_call(mast, "mast_reindex", "{}", NULL, &error);
    if (reply == NULL) {
        mast_close(mast);
        return fail("index", &error);
    }
    mast_free_string(reply);

    quote(quoted, sizeof quoted, argv[2]);
    snprintf(json, sizeof json, "{\"query\":\"%s\",\"limit\":3}", quoted);
    reply = mast_call(mast, "mast_search", json, NULL, &error);
    if (reply == NULL) {
        mast_close(mast);
        return fail("search", &error);
    }
    puts(reply);
    mast_free_string(reply);
    mast_close(mast);
    return 0;
}
