// The C door, used as a C program would: scenarios <directory with a project> <empty directory>
// Ends with 0 and one line a scenario, or stops at the first thing that is not as expected.

#include <mast.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #condition); \
            exit(1);                                                                           \
        }                                                                                      \
    } while (0)

static Mast *open_at(const char *directory) {
    char options[4096];
    MastError error;
    snprintf(options, sizeof options, "{\"root\":\"%s\"}", directory);
    Mast *mast = mast_open(options, &error);
    if (mast == NULL) {
        fprintf(stderr, "open: %s\n", error.message);
        exit(1);
    }
    CHECK(error.code == MAST_CODE_OK);
    CHECK(error.message == NULL);
    return mast;
}

// A failure with exactly this code, whose message has `part` in it and is one line.
static void expect_failure(void *result, MastError *error, MastCode code, const char *part) {
    CHECK(result == NULL);
    if (error->code != code || strstr(error->message, part) == NULL)
        fprintf(stderr, "got %s: %s\n", mast_code_name((int32_t)error->code), error->message);
    CHECK(error->code == code);
    CHECK(strstr(error->message, part) != NULL);
    CHECK(strchr(error->message, '\n') == NULL);
    mast_free_string(error->message);
}

static char *must_call(const Mast *mast, const char *tool, const char *arguments) {
    MastError error;
    char *reply = mast_call(mast, tool, arguments, NULL, &error);
    if (reply == NULL)
        fprintf(stderr, "%s %s: %s\n", tool, arguments, error.message);
    CHECK(reply != NULL);
    CHECK(error.code == MAST_CODE_OK);
    CHECK(error.message == NULL);
    CHECK(reply[0] == '{');
    CHECK(strchr(reply, '\n') == NULL);
    return reply;
}

static void constants(void) {
    CHECK(strcmp(mast_version(), EXPECTED_VERSION) == 0);
    CHECK(strcmp(mast_schema_version(), EXPECTED_SCHEMA) == 0);
    CHECK(strcmp(mast_code_name(MAST_CODE_OK), "ok") == 0);
    CHECK(strcmp(mast_code_name(MAST_CODE_NO_INDEX), "no_index") == 0);
    CHECK(strcmp(mast_code_name(MAST_CODE_INTERNAL), "internal") == 0);
    CHECK(strcmp(mast_code_name(-1), "unknown") == 0);
    CHECK(strcmp(mast_code_name(99), "unknown") == 0);
}

static void lists_the_tools(void) {
    static const char *const names[] = {
        "mast_search",       "mast_project_skeleton", "mast_exports", "mast_signature",  "mast_callers",
        "mast_dependencies", "mast_implementors",     "mast_rename_impact", "mast_outline", "mast_section",
        "mast_reindex",      "mast_status",           "mast_efficiency"};
    char *tools = mast_tools();
    CHECK(tools != NULL);
    CHECK(tools[0] == '[');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char field[64];
        snprintf(field, sizeof field, "\"name\":\"%s\"", names[i]);
        CHECK(strstr(tools, field) != NULL);
    }
    mast_free_string(tools);
}

static void answers(const char *project) {
    Mast *mast = open_at(project);
    char *reply = must_call(mast, "mast_reindex", "{\"full\":true}");
    CHECK(strstr(reply, "\"files_indexed\":3") != NULL);
    CHECK(strstr(reply, "\"parse_errors\":0") != NULL);
    mast_free_string(reply);

    reply = must_call(mast, "mast_search", "{\"query\":\"openStore\",\"limit\":1}");
    CHECK(strstr(reply, "\"symbol_name\":\"openStore\"") != NULL);
    CHECK(strstr(reply, "\"file_path\":\"src/store.ts\"") != NULL);
    mast_free_string(reply);

    reply = must_call(mast, "mast_callers", "{\"symbol\":\"openStore\"}");
    CHECK(strstr(reply, "\"caller_symbol\":\"start\"") != NULL);
    CHECK(strstr(reply, "\"verified_count\":1") != NULL);
    mast_free_string(reply);

    // No arguments at all are an empty object.
    reply = must_call(mast, "mast_status", NULL);
    CHECK(strstr(reply, "\"indexed_files\":3") != NULL);
    mast_free_string(reply);
    mast_close(mast);
}

static void refuses_bad_arguments(const char *project) {
    Mast *mast = open_at(project);
    MastError error;
    expect_failure(mast_call(mast, "mast_nothing", "{}", NULL, &error), &error, MAST_CODE_INVALID_INPUT, "mast_nothing");
    expect_failure(mast_call(mast, "mast_search", "{", NULL, &error), &error, MAST_CODE_INVALID_INPUT, "arguments");
    expect_failure(mast_call(mast, "mast_search", "", NULL, &error), &error, MAST_CODE_INVALID_INPUT, "arguments");
    expect_failure(mast_call(mast, "mast_search", "[]", NULL, &error), &error, MAST_CODE_INVALID_INPUT, "object");
    expect_failure(mast_call(mast, "mast_search", "{}", NULL, &error), &error, MAST_CODE_INVALID_INPUT, "query");
    expect_failure(mast_call(mast, "mast_search", "{\"query\":3}", NULL, &error), &error, MAST_CODE_INVALID_INPUT, "query");
    expect_failure(
        mast_call(mast, "mast_search", "{\"query\":\"a\",\"limt\":1}", NULL, &error), &error, MAST_CODE_INVALID_INPUT,
        "limt");

    // Whoever passes no place for the error gets NULL all the same.
    CHECK(mast_call(mast, "mast_nothing", "{}", NULL, NULL) == NULL);
    mast_close(mast);

    static const char *const options[][2] = {
        {"{\"rot\":\".\"}", "options.rot: unknown argument; the arguments are root, state_dir"},
        {"{\"root\":7}", "options.root: expected a string, got the number 7"},
        {"[\".\"]", "options: expected an object, got an array"},
        {"[]", "options: expected an object, got an array"},
        {"null", "options: expected an object, got null"},
        {"nonsense", "options: not valid JSON: expected ident at line 1 column 2"},
    };
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        expect_failure(mast_open(options[i][0], &error), &error, MAST_CODE_INVALID_INPUT, options[i][1]);
    CHECK(mast_open("nonsense", NULL) == NULL);
}

static void says_when_nothing_is_indexed(const char *empty) {
    Mast *mast = open_at(empty);
    MastError error;
    expect_failure(
        mast_call(mast, "mast_search", "{\"query\":\"a\"}", NULL, &error), &error, MAST_CODE_NO_INDEX, "mast index");
    mast_close(mast);
}

static void survives_null(const char *project) {
    Mast *mast = open_at(project);
    MastError error;
    expect_failure(mast_call(NULL, "mast_status", "{}", NULL, &error), &error, MAST_CODE_INVALID_INPUT, "mast");
    expect_failure(mast_call(mast, NULL, "{}", NULL, &error), &error, MAST_CODE_INVALID_INPUT, "tool");
    CHECK(mast_call(NULL, NULL, NULL, NULL, NULL) == NULL);
    mast_close(mast);
    mast_close(NULL);
    mast_free_string(NULL);
    mast_cancel(NULL);
    mast_cancel_free(NULL);
}

static void survives_invalid_utf8(const char *project) {
    Mast *mast = open_at(project);
    MastError error;
    expect_failure(
        mast_call(mast, "mast_\xff", "{}", NULL, &error), &error, MAST_CODE_INVALID_INPUT, "tool is not UTF-8");
    expect_failure(
        mast_call(mast, "mast_search", "{\"query\":\"\xc3\x28\"}", NULL, &error), &error, MAST_CODE_INVALID_INPUT,
        "offset 10");
    // A lone surrogate cannot be text either.
    expect_failure(
        mast_call(mast, "mast_search", "{\"query\":\"\\ud800\"}", NULL, &error), &error, MAST_CODE_INVALID_INPUT,
        "arguments");
    expect_failure(mast_open("{\"root\":\"\xff\"}", &error), &error, MAST_CODE_INVALID_INPUT, "options is not UTF-8");
    mast_close(mast);
}

static void cancels(const char *project) {
    Mast *mast = open_at(project);
    MastCancel *cancel = mast_cancel_new();
    MastError error;
    char *reply = mast_call(mast, "mast_status", "{}", cancel, &error);
    CHECK(reply != NULL);
    mast_free_string(reply);
    mast_cancel(cancel);
    mast_cancel(cancel);
    expect_failure(
        mast_call(mast, "mast_reindex", "{\"full\":true}", cancel, &error), &error, MAST_CODE_CANCELLED, "cancelled");
    mast_cancel_free(cancel);

    // The index is as whole as before.
    reply = must_call(mast, "mast_search", "{\"query\":\"openStore\",\"limit\":1}");
    CHECK(strstr(reply, "\"symbol_name\":\"openStore\"") != NULL);
    mast_free_string(reply);
    mast_close(mast);
}

enum { THREADS = 8, ROUNDS = 12 };

struct share {
    const Mast *mast;
    int number;
};

static void *work(void *argument) {
    const struct share *share = argument;
    for (int round = 0; round < ROUNDS; round++) {
        MastError error;
        if ((share->number + round) % 4 == 0) {
            // Failures are each thread's own.
            char tool[32], part[40];
            snprintf(tool, sizeof tool, "mast_no_%d_%d", share->number, round);
            snprintf(part, sizeof part, "`%s`", tool);
            expect_failure(mast_call(share->mast, tool, "{}", NULL, &error), &error, MAST_CODE_INVALID_INPUT, part);
        } else {
            char *reply = mast_call(share->mast, "mast_search", "{\"query\":\"openStore\",\"limit\":1}", NULL, &error);
            if (reply == NULL)
                fprintf(stderr, "thread %d: %s\n", share->number, error.message);
            CHECK(reply != NULL);
            CHECK(strstr(reply, "\"symbol_name\":\"openStore\"") != NULL);
            mast_free_string(reply);
        }
    }
    return NULL;
}

static void shares_a_handle_between_threads(const char *project) {
    Mast *mast = open_at(project);
    pthread_t threads[THREADS];
    struct share shares[THREADS];
    for (int i = 0; i < THREADS; i++) {
        shares[i] = (struct share){mast, i};
        CHECK(pthread_create(&threads[i], NULL, work, &shares[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    mast_close(mast);
}

#define RUN(call)             \
    do {                      \
        call;                 \
        printf("%s\n", #call); \
    } while (0)

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    const char *project = argv[1], *empty = argv[2];
    RUN(constants());
    RUN(lists_the_tools());
    RUN(answers(project));
    RUN(refuses_bad_arguments(project));
    RUN(says_when_nothing_is_indexed(empty));
    RUN(survives_null(project));
    RUN(survives_invalid_utf8(project));
    RUN(cancels(project));
    RUN(shares_a_handle_between_threads(project));
    printf("done\n");
    return 0;
}
