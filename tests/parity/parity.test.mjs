// The questions of questions.json through the command, Node and C give the same bytes. parity.rs asks the library, the
// command and MCP.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import test, { after, before } from 'node:test'
import { artifacts, targets } from '../../npm/scripts/targets.mjs'
import platform from '../../npm/mast/lib/platform.js'
import { built, root, useBuiltAddon, writeFiles } from '../node/support.mjs'

useBuiltAddon()
const native = createRequire(import.meta.url)(process.env.MAST_ADDON)
const executable = path.join(built, artifacts(targets.find(({ name }) => name === platform.target())).executable)
const isWindows = process.platform === 'win32'

const read = (name) => JSON.parse(fs.readFileSync(new URL(name, import.meta.url), 'utf8'))

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mast-parity-')))
const project = path.join(folder, 'project')
const program = path.join(folder, 'call')
let addon

before(async () => {
  writeFiles(project, read('project.json'))
  execFileSync(executable, ['init'], { cwd: project, stdio: 'ignore' })
  addon = new native.Project()
  await addon.open(JSON.stringify({ root: project }))
  if (isWindows) return
  const include = path.join(root, 'mast-ffi/include')
  const link = ['-L', built, '-lmast', `-Wl,-rpath,${built}`]
  execFileSync(process.env.CC ?? 'cc', ['-I', include, path.join(root, 'tests/parity/call.c'), '-o', program, ...link])
})

after(async () => {
  await addon?.close()
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

const doors = {
  node: async (tool, args) => {
    const { json, code, message } = await addon.call(tool, JSON.stringify(args), new native.CancelToken())
    return code ? `${code}: ${message}` : json
  },
  ...(!isWindows && {
    c: (tool, args) => execFileSync(program, [project, tool, JSON.stringify(args)], { encoding: 'utf8' }).trimEnd(),
  }),
}

for (const [tool, args] of read('questions.json')) {
  test(`${tool} ${JSON.stringify(args)}`, async () => {
    const expected = comparable(command(tool, args))
    for (const [door, ask] of Object.entries(doors)) {
      const answer = comparable(await ask(tool, args))
      // The command line has other means than a code to say that this is a failure.
      assert.equal(answer.replace(/^invalid_input: /, ''), expected, door)
    }
  })
}

/** `mast query --json`; a refusal is its one line without the name of the program. */
function command(tool, args) {
  const options = { cwd: project, encoding: 'utf8' }
  const { status, stdout, stderr } = spawnSync(executable, ['query', tool, JSON.stringify(args), '--json'], options)
  return status === 0 ? stdout.slice(0, -1) : stderr.trimEnd().replace(/^mast: /, '')
}

/** Without what is rightly another from call to call: how long it took. */
function comparable(text) {
  return text.replace(/"duration_ms":[\d.]+/, '"duration_ms":0')
}
