// MAST: code search for TypeScript, JavaScript and Markdown repositories.
//
// Text is NUL-terminated UTF-8. Strings you pass stay yours. Strings you get are yours too, and go back through
// mast_free_string, except where a function says never freed. All functions may be called from any thread.
//
// Generated from src/border.rs; do not edit.

#ifndef MAST_H
#define MAST_H

#include <stdint.h>

// Whether something worked, or why not. The numbers are stable.
typedef enum MastCode {
  // It worked.
  MAST_CODE_OK = 0,
  // An argument is not acceptable; the message names it.
  MAST_CODE_INVALID_INPUT = 1,
  // Nothing has been indexed.
  MAST_CODE_NO_INDEX = 2,
  // The index was written by another version.
  MAST_CODE_INDEX_VERSION = 3,
  // Another process holds what is needed; try again later.
  MAST_CODE_BUSY = 4,
  // `mast_cancel` was called.
  MAST_CODE_CANCELLED = 5,
  // The disk or the database refused.
  MAST_CODE_IO = 6,
  // The configuration cannot be used.
  MAST_CODE_CONFIG = 7,
  // A defect of MAST.
  MAST_CODE_INTERNAL = 8,
} MastCode;

// An opened project. Any number of threads may call into one at the same time.
typedef struct Mast Mast;

// Stops calls it was handed to. Any thread may use it.
typedef struct MastCancel MastCancel;

// Where a function reports failure.
//
// A function that takes one overwrites it and never reads it. After success `code` is `MAST_CODE_OK` and `message`
// is NULL; after failure free `message` with `mast_free_string`.
typedef struct MastError {
  // What kind of failure.
  enum MastCode code;
  // One line of UTF-8 text for people, or NULL.
  char *message;
} MastError;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Opens a project. Nothing is created or indexed.
//
// `options`: a JSON object with `root` (the project's directory; relative to the working directory) and `state_dir`
// (where the index is; relative to the root), both optional; NULL means no options.
//
// Returns a handle to be released with `mast_close`, or NULL after filling `error`.
//
// # Safety
// `options` is NULL or a NUL-terminated string; `error` is NULL or points to a `MastError`.
struct Mast *mast_open(const char *options,
                       struct MastError *error);

// Releases a handle; NULL is allowed. No call may be running on it, and none may follow.
//
// # Safety
// `mast` is NULL or a handle of `mast_open` that was not closed before.
void mast_close(struct Mast *mast);

// Runs one tool and returns its answer, one line of JSON, to be freed with `mast_free_string`.
//
// `tool`: a name listed by `mast_tools`. `arguments`: a JSON object; NULL means an empty one. `cancel`: NULL, or what
// another thread may use to stop this call. Returns NULL after filling `error` when there is no answer.
//
// # Safety
// `mast` is NULL (an error) or an open handle; `tool` and `arguments` are NULL or NUL-terminated strings; `cancel` is
// NULL or made by `mast_cancel_new`; `error` is NULL or points to a `MastError`.
char *mast_call(const struct Mast *mast,
                const char *tool,
                const char *arguments,
                const struct MastCancel *cancel,
                struct MastError *error);

// The tools as a JSON array, each as MCP lists it: name, title, description, inputSchema, outputSchema, annotations.
// Free it with `mast_free_string`. NULL only after a defect of MAST.
char *mast_tools(void);

// Frees a string this library returned or left in a `MastError`; NULL is allowed.
//
// # Safety
// `string` is NULL or such a string that was not freed before.
void mast_free_string(char *string);

// Makes something that can stop calls, to be released with `mast_cancel_free`.
struct MastCancel *mast_cancel_new(void);

// Asks the calls that were handed `cancel` to stop, now and later ones alike; they fail with `MAST_CODE_CANCELLED`.
// NULL is allowed.
//
// # Safety
// `cancel` is NULL or made by `mast_cancel_new`.
void mast_cancel(const struct MastCancel *cancel);

// Releases what `mast_cancel_new` made; NULL is allowed. Calls that were handed it may still be running.
//
// # Safety
// `cancel` is NULL or made by `mast_cancel_new` and not freed before.
void mast_cancel_free(struct MastCancel *cancel);

// The spelling of a `MastCode` that all doors of MAST share, such as `no_index`. Never NULL, never freed.
const char *mast_code_name(int32_t code);

// The version of this library. Never NULL, never freed.
const char *mast_version(void);

// The version of the index format this library reads and writes. Never NULL, never freed.
const char *mast_schema_version(void);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MAST_H */
