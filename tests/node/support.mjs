// What the tests of the Node door share: the addon of this build, and little projects to ask about.

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { artifacts, targets } from '../../npm/scripts/targets.mjs'
import platform from '../../npm/mast/lib/platform.js'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')

/** Where cargo left the debug build. */
export const built = path.join(process.env.CARGO_TARGET_DIR ?? path.join(root, 'target'), 'debug')

/** The package with the freshly built addon. */
export async function loadPackage() {
  useBuiltAddon()
  return import('../../npm/mast/index.mjs')
}

/** Makes this process, and those it starts, load the addon of this build. */
export function useBuiltAddon() {
  if (process.env.MAST_ADDON) return
  const target = targets.find(({ name }) => name === platform.target())
  const { addon, library } = artifacts(target)
  // Node only loads files that end in .node. Test files run in processes of their own: replace it in one step.
  const copy = path.join(built, addon)
  const temporary = `${copy}.${process.pid}`
  fs.copyFileSync(path.join(built, library), temporary)
  fs.renameSync(temporary, copy)
  process.env.MAST_ADDON = copy
}

/** A folder of this test's own, removed when the test ends. */
export function temporaryFolder(t, name = 'mast-node-') {
  const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), name)))
  t.after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

/** Writes files given as `{ 'src/a.ts': 'text' }`; returns the folder. */
export function writeFiles(folder, files) {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name)
    fs.mkdirSync(path.dirname(file), { recursive: true })
    fs.writeFileSync(file, text)
  }
  return folder
}

/** A store, one caller of it, and a README. */
export const STORE = {
  'src/store.ts': `/** Where values are kept. */
export interface Store {
  get(key: string): string | undefined;
}

const entries = new Map<string, string>();

export function openStore(): Store {
  return entries;
}
`,
  'src/main.ts': `import { openStore } from "./store.js";

export function start(): void {
  openStore().get("a");
}
`,
  'README.md': '# A project\n\nIt keeps values.\n',
}

export function storeProject(t) {
  return writeFiles(temporaryFolder(t), STORE)
}

/** A project that takes a while to index. */
export function largeProject(t, { files = 300, functions = 40 } = {}) {
  const folder = temporaryFolder(t)
  for (let file = 0; file < files; file++) {
    const lines = []
    for (let i = 0; i < functions; i++) {
      lines.push(`export function step${file}_${i}(value: number): number {`)
      lines.push(`  return value + ${i > 0 ? `step${file}_${i - 1}(value)` : file};`)
      lines.push('}', '')
    }
    writeFiles(folder, { [`src/part${file}.ts`]: lines.join('\n') })
  }
  return folder
}
