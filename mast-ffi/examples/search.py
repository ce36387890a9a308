"""Indexes a project and searches it: python3 search.py <project> <words>

MAST_LIBRARY names the shared library when the loader does not find it by itself.
"""

import ctypes
import json
import os
import sys


class MastError(ctypes.Structure):
    _fields_ = [("code", ctypes.c_int), ("message", ctypes.c_void_p)]


class MastFailure(Exception):
    """A call failed; `code` is the stable text, such as `no_index`."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


lib = ctypes.CDLL(os.environ.get("MAST_LIBRARY", "libmast.so"))
lib.mast_open.restype = ctypes.c_void_p
lib.mast_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(MastError)]
lib.mast_close.restype = None
lib.mast_close.argtypes = [ctypes.c_void_p]
lib.mast_call.restype = ctypes.c_void_p
lib.mast_call.argtypes = [
    ctypes.c_void_p,
    ctypes.c_char_p,
    ctypes.c_char_p,
    ctypes.c_void_p,
    ctypes.POINTER(MastError),
]
lib.mast_free_string.restype = None
lib.mast_free_string.argtypes = [ctypes.c_void_p]
lib.mast_code_name.restype = ctypes.c_char_p
lib.mast_code_name.argtypes = [ctypes.c_int32]


def take(pointer):
    """Copies a string of the library and frees it."""
    text = ctypes.string_at(pointer).decode()
    lib.mast_free_string(pointer)
    return text


def check(pointer, error):
    """Passes a result on; NULL becomes an exception."""
    if not pointer:
        raise MastFailure(lib.mast_code_name(error.code).decode(), take(error.message))
    return pointer


class Mast:
    """An opened project; may be shared by threads (ctypes lets them run side by side)."""

    def __init__(self, **options):
        error = MastError()
        self._handle = check(lib.mast_open(json.dumps(options).encode(), error), error)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        lib.mast_close(self._handle)
        self._handle = None

    def call(self, tool, **arguments):
        error = MastError()
        reply = lib.mast_call(self._handle, tool.encode(), json.dumps(arguments).encode(), None, error)
        return json.loads(take(check(reply, error)))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: search.py <project> <words>")
    project, words = sys.argv[1:]
    with Mast(root=project) as mast:
        mast.call("mast_reindex")
        for hit in mast.call("mast_search", query=words, limit=3)["results"]:
            print(f"{hit['file_path']}:{hit['start_line']} {hit['symbol_name']}")


if __name__ == "__main__":
    try:
        main()
    except MastFailure as failure:
        sys.exit(f"{failure} ({failure.code})")
