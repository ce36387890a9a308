// The `mast` command of the package: the native executable as if it had been started directly.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { root, temporaryFolder, writeFiles } from '../node/support.mjs'

const shim = path.join(root, 'npm/mast/bin/mast.js')
const isWindows = process.platform === 'win32'

/** Runs the shim with a shell script as the executable. */
function run(t, script, { args = [], input = '', env = {} } = {}) {
  const options = { input, encoding: 'utf8', env: { ...process.env, MAST_BINARY: executable(t, script), ...env } }
  return spawnSync(process.execPath, [shim, ...args], options)
}

function executable(t, script) {
  const file = path.join(temporaryFolder(t, 'mast shim '), 'mast')
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return file
}

test('exit codes pass through', { skip: isWindows }, (t) => {
  for (const code of [0, 1, 2, 7]) assert.equal(run(t, `exit ${code}`).status, code)
})

test('arguments and streams pass through', { skip: isWindows }, (t) => {
  const args = ['search', 'a b', '"q"', '$HOME', '', '*', 'é😀']
  const { status, stdout, stderr } = run(t, 'printf "<%s>" "$@"; cat; echo oops >&2', { args, input: 'typed' })
  assert.equal(stdout, '<search><a b><"q"><$HOME><><*><é😀>typed')
  assert.deepEqual([status, stderr], [0, 'oops\n'])
})

for (const signal of ['SIGTERM', 'SIGHUP', 'SIGINT']) {
  test(`${signal} reaches the executable, whose exit code counts`, { skip: isWindows, timeout: 20_000 }, async (t) => {
    const name = signal.slice(3)
    const script = `trap 'echo got ${name}; exit 5' ${name}; echo ready; i=0; while [ $((i += 1)) -lt 200 ]; do sleep 0.05; done`
    const { out, status } = await signalled(t, script, signal)
    assert.deepEqual([out, status], [`ready\ngot ${name}\n`, { code: 5, signal: null }])
  })
}

test('a death by signal is passed on', { skip: isWindows, timeout: 20_000 }, async (t) => {
  const { status } = await signalled(t, 'echo ready; i=0; while [ $((i += 1)) -lt 200 ]; do sleep 0.05; done', 'SIGTERM')
  assert.deepEqual(status, { code: null, signal: 'SIGTERM' })
})

test('the executable sees the end of its input, and the shim ends with it', { skip: isWindows, timeout: 20_000 }, async (t) => {
  const env = { ...process.env, MAST_BINARY: executable(t, 'cat >/dev/null; exit 3') }
  const child = spawn(process.execPath, [shim, 'serve'], { env, stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end()
  assert.equal(await new Promise((resolve) => child.on('exit', resolve)), 3)
})

test('an executable that cannot be run is one line', () => {
  const env = { ...process.env, MAST_BINARY: path.join(root, 'no', 'such', 'mast') }
  const { status, stdout, stderr } = spawnSync(process.execPath, [shim], { env, encoding: 'utf8' })
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^mast: cannot run .*no.such.mast: .*ENOENT.*\n$/)
})

test('a missing platform package is one line that says what to do', (t) => {
  const { status, stdout, stderr } = runInstalled(t, {})
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, /^mast: the package @spikedpunch\/mast-[\w-]+ is not installed; install again .*@1\.0\.0\n$/)
})

test('a platform package of another version is refused', (t) => {
  const { status, stderr } = runInstalled(t, { version: '0.9.0' })
  assert.equal(status, 1)
  assert.match(stderr, /^mast: @spikedpunch\/mast-[\w-]+ is version 0\.9\.0, but @spikedpunch\/mast is 1\.0\.0; .*\n$/)
})

test('a platform that MAST is not built for is one line that lists those it is built for', (t) => {
  const { status, stderr } = runInstalled(t, { platform: 'sunos' })
  assert.equal(status, 1)
  assert.match(stderr, /^mast: there is no build for sunos-\w+; MAST is built for linux-x64-gnu, .*win32-arm64-msvc\n$/)
})

const LOADERS = {
  'CommonJS': ['cjs', "require('@spikedpunch/mast')"],
  'ESM': ['mjs', "await import('@spikedpunch/mast')"],
}
const NOT_INSTALLED = /mast: the package @spikedpunch\/mast-[\w-]+ is not installed; install again [^\n]*@1\.0\.0\n/g

for (const [kind, [extension, load]] of Object.entries(LOADERS)) {
  test(`a missing platform package is one line that ${kind} can catch`, (t) => {
    const code = `try { ${load} } catch (error) { console.log(error.message) }\nsetTimeout(() => console.log('goes on'))`
    const { status, stdout, stderr } = runProgram(t, extension, code)
    assert.deepEqual([status, stderr, stdout.replace(NOT_INSTALLED, '<line>\n')], [0, '', '<line>\ngoes on\n'])
  })

  test(`a missing platform package that ${kind} does not catch is told once`, (t) => {
    const { status, stderr } = runProgram(t, extension, load)
    assert.equal(status, 1)
    assert.equal(stderr.match(NOT_INSTALLED)?.length, 1, stderr)
    assert.equal(stderr.match(/is not installed/g).length, 1, stderr)
  })
}

test('an addon that cannot be loaded is told once, in one line', (t) => {
  const addon = path.join(temporaryFolder(t), 'broken.node')
  fs.writeFileSync(addon, 'no library')
  const code = "try { require('@spikedpunch/mast') } catch (error) { console.log(error.message, error.cause) }"
  const { stdout } = runProgram(t, 'cjs', code, { MAST_ADDON: addon })
  assert.match(stdout, /^mast: [^\n]*broken\.node[^\n]* undefined\n$/)
})

/** Runs a program beside a package without its platform package. */
function runProgram(t, extension, code, env = {}) {
  const folder = writeFiles(install(t, {}), { [`program.${extension}`]: code })
  const options = { cwd: folder, env: { ...plainEnv(), ...env }, encoding: 'utf8' }
  return spawnSync(process.execPath, [`program.${extension}`], options)
}

/** Starts the shim, waits for a first word, sends the signal to the shim alone. */
async function signalled(t, script, signal) {
  const env = { ...process.env, MAST_BINARY: executable(t, script) }
  const child = spawn(process.execPath, [shim], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    if (out === '') child.kill(signal)
    out += text
  })
  const status = await new Promise((resolve) => child.on('close', (code, end) => resolve({ code, signal: end })))
  return { out, status }
}

/** The package in a `node_modules`, without its platform package or with one of another version. */
function install(t, { version }) {
  const folder = temporaryFolder(t)
  const packages = path.join(folder, 'node_modules/@spikedpunch')
  fs.cpSync(path.join(root, 'npm/mast'), path.join(packages, 'mast'), { recursive: true })
  if (version) {
    const { optionalDependencies } = JSON.parse(fs.readFileSync(path.join(packages, 'mast/package.json'), 'utf8'))
    for (const name of Object.keys(optionalDependencies)) {
      writeFiles(folder, { [`node_modules/${name}/package.json`]: JSON.stringify({ name, version }) })
    }
  }
  return folder
}

function runInstalled(t, { version, platform }) {
  const entry = path.join(install(t, { version }), 'node_modules/@spikedpunch/mast/bin/mast.js')
  const pretend = platform ? `Object.defineProperty(process, 'platform', { value: '${platform}' });` : ''
  const code = `${pretend} require(${JSON.stringify(entry)})`
  return spawnSync(process.execPath, ['-e', code], { env: plainEnv(), encoding: 'utf8' })
}

/** Without what would take the place of the platform package. */
function plainEnv() {
  const { MAST_BINARY, MAST_ADDON, ...env } = process.env
  return env
}
