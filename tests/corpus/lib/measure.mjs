// Costs of one process: wall and CPU seconds, peak memory in bytes.

import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const wrapper = fileURLToPath(new URL('./rusage.py', import.meta.url))

/**
 * Whether CPU time and memory of a child can be had. Node only knows its own; Python's `wait4` knows those of one child,
 * to the microsecond, which `/usr/bin/time` with its hundredths of a second does not.
 */
export const hasUsage =
  process.platform !== 'win32' &&
  spawnSync('python3', ['-I', '-S', '-c', 'import os; os.posix_spawnp, os.wait4']).status === 0

/**
 * Runs a command to its end and returns `{ wall, cpu, rss, stdout }`; `cpu` and `rss` are null without `hasUsage`.
 * A command that fails throws: its time would mean nothing.
 */
export function measure(command, args, { input = '', cwd } = {}) {
  const options = { input, cwd, encoding: 'utf8', maxBuffer: 1 << 28 }
  if (!hasUsage) {
    const start = performance.now()
    const run = spawnSync(command, args, options)
    const wall = (performance.now() - start) / 1000
    succeeded(run, run.status, command, args)
    return { wall, cpu: null, rss: null, stdout: run.stdout }
  }
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mast-measure-'))
  try {
    const output = path.join(folder, 'stdout')
    const run = spawnSync('python3', ['-I', '-S', wrapper, output, command, ...args], options)
    succeeded(run, run.status, command, args)
    const { status, ...cost } = JSON.parse(run.stdout)
    succeeded(run, status, command, args)
    return { ...cost, stdout: fs.readFileSync(output, 'utf8') }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

function succeeded(run, status, command, args) {
  if (status === 0) return
  const what = run.error?.message ?? run.stderr.trim()
  throw new Error(`${[path.basename(command), ...args].join(' ')} failed (${status}): ${what}`)
}

/** CPU seconds a running process has used so far; null where there is no `/proc`. */
export function cpuSoFar(pid) {
  let line
  try {
    line = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return null
  }
  // The name in parentheses may contain spaces. The times are in ticks, of which Linux shows programs 100 a second.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Bytes of all files in a folder and below. */
export function folderSize(folder) {
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath ?? entry.path, entry.name)).size, 0)
}
