#!/usr/bin/env node
// Runs the native executable as if it had been started in place of this file: same streams, signals and exit code.
'use strict'

const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const { executablePath } = require('../lib/platform.js')

function fail(message) {
  process.stderr.write(`mast: ${message}\n`)
  process.exitCode = 1
}

function main() {
  let executable
  try {
    executable = executablePath()
  } catch (error) {
    fail(error.message)
    return
  }

  // A signal to this process alone must reach the executable; what the terminal sends on ctrl-c reaches both already.
  // Listen before there is anything to forward to: between the two, a signal would end this process only.
  let child
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT', 'SIGUSR2']) {
    const isFromTerminal = process.stdin.isTTY && (signal === 'SIGINT' || signal === 'SIGQUIT')
    // On Windows there are fewer signals, and asking for others throws.
    if (signal in constants.signals) process.on(signal, () => isFromTerminal || child.kill(signal))
  }

  child = spawn(executable, process.argv.slice(2), { stdio: 'inherit', windowsHide: true })
  child.on('error', (error) => fail(`cannot run ${executable}: ${error.message}`))
  child.on('exit', (code, signal) => {
    if (signal === null) {
      process.exitCode = code
      return
    }
    // Die the same way, so that whoever started us sees the same status.
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

main()
