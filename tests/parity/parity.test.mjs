// One question, every door, the same bytes: the command, MCP, Node and C.

import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import test, { after, before } from 'node:test'
import { artifacts, targets } from '../../npm/scripts/targets.mjs'
import platform from '../../npm/mast/lib/platform.js'
import { built, root, useBuiltAddon, writeFiles } from '../node/support.mjs'
import { Client } from './client.mjs'

useBuiltAddon()
const native = createRequire(import.meta.url)(process.env.MAST_ADDON)
const executable = path.join(built, artifacts(targets.find(({ name }) => name === platform.target())).executable)
const isWindows = process.platform === 'win32'

const PROJECT = {
  'src/store.ts': `export interface Store {
  get(key: string): string | undefined;
}

/** Keeps values in memory. */
export class MemoryStore implements Store {
  #entries = new Map<string, string>();

  get(key: string): string | undefined {
    return this.#entries.get(key);
  }
}

export function openStore(): Store {
  return new MemoryStore();
}
`,
  'src/index.ts': 'export { openStore as open } from "./store.js";\nexport type { Store } from "./store.js";\n',
  'src/main.ts': `import { open } from "./index.js";

export function start(name: string): void {
  open().get(name);
}
`,
  'README.md': '# Store\n\nKeeps values.\n\n## Use\n\nCall `open`. Größe: 😀\n',
}

/** Answers, refusals and empty answers of every tool that only reads. */
const QUESTIONS = [
  ['mast_search', { query: 'openStore' }],
  ['mast_search', { query: 'größe 😀', language: 'markdown' }],
  ['mast_search', { query: 'nothing like it anywhere' }],
  ['mast_search', { query: 'open', file_pattern: 'src/main.*', limit: 2 }],
  ['mast_project_skeleton', {}],
  ['mast_exports', { file_path: 'src/store.ts' }],
  ['mast_exports', { file_path: 'src/gone.ts' }],
  ['mast_signature', { symbol: 'openStore' }],
  ['mast_callers', { symbol: 'openStore' }],
  ['mast_callers', { symbol: 'Store.get', transitive: true }],
  ['mast_callers', { symbol: 'unheardOf' }],
  ['mast_dependencies', { file_path: 'src/main.ts' }],
  ['mast_implementors', { interface_name: 'Store' }],
  ['mast_rename_impact', { symbol: 'openStore' }],
  ['mast_outline', { paths: ['README.md'] }],
  ['mast_section', { sections: [{ file_path: 'README.md', heading: 'Use' }] }],
  ['mast_section', { sections: [{ file_path: '../outside.md', heading: 'Use' }] }],
  ['mast_status', {}],
  ['mast_search', { query: 3 }],
  ['mast_search', { query: 'a', limt: 1 }],
  ['mast_callers', {}],
]

const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mast-parity-')))
const project = path.join(folder, 'project')
const program = path.join(folder, 'call')
let client
let addon

before(async () => {
  writeFiles(project, PROJECT)
  execFileSync(executable, ['init'], { cwd: project, stdio: 'ignore' })
  client = new Client(spawn(executable, ['serve', '--no-watch', '--no-startup-reindex'], { cwd: project }))
  await client.start()
  addon = new native.Project()
  await addon.open(JSON.stringify({ root: project }))
  if (isWindows) return
  const include = path.join(root, 'mast-ffi/include')
  const link = ['-L', built, '-lmast', `-Wl,-rpath,${built}`]
  execFileSync(process.env.CC ?? 'cc', ['-I', include, path.join(root, 'tests/parity/call.c'), '-o', program, ...link])
})

after(async () => {
  await client?.stop()
  await addon?.close()
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
})

const doors = {
  mcp: (tool, args) => client.call(tool, args),
  node: async (tool, args) => {
    const { json, code, message } = await addon.call(tool, JSON.stringify(args), new native.CancelToken())
    return code ? `${code}: ${message}` : json
  },
  ...(!isWindows && {
    c: (tool, args) => execFileSync(program, [project, tool, JSON.stringify(args)], { encoding: 'utf8' }).trimEnd(),
  }),
}

for (const [tool, args] of QUESTIONS) {
  test(`${tool} ${JSON.stringify(args)}`, async () => {
    const expected = comparable(command(tool, args))
    for (const [door, ask] of Object.entries(doors)) {
      const answer = comparable(await ask(tool, args))
      // The command line and MCP have other means than a code to say that this is a failure.
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

/** Without what is rightly another from call to call: how long it took, and who serves. */
function comparable(text) {
  return text.replace(/"duration_ms":[\d.]+/, '"duration_ms":0').replace(/"writer":(null|\{[^}]*\})/, '"writer":null')
}
