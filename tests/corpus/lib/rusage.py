"""Runs a command and prints what it cost: wall, user and system seconds, the kernel's figure of its peak memory, its status.

Usage: rusage.py <file for its standard output> <command> [argument ...]; standard input and error are passed on.
"""

import json
import os
import sys
import time

output, command = sys.argv[1], sys.argv[2:]
flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
actions = [(os.POSIX_SPAWN_OPEN, 1, output, flags, 0o600)]
start = time.perf_counter()
child = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
_, status, usage = os.wait4(child, 0)
wall = time.perf_counter() - start
# Bytes on macOS, KiB elsewhere.
unit = 1 if sys.platform == "darwin" else 1024
print(
    json.dumps(
        {
            "wall": wall,
            "cpu": usage.ru_utime + usage.ru_stime,
            "rss": usage.ru_maxrss * unit,
            "status": status,
        }
    )
)
