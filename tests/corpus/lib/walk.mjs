// What mast reads of a project, by its own account.

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'

/** The walked files, relative to the root. */
export function walkedFiles(mast, root) {
  const text = execFileSync(mast, ['walk', '--root', root, '--files', '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 })
  return JSON.parse(text).files
}

export const isCode = (file) => /\.[cm]?[jt]sx?$/.test(file)

/** Code files as `{ path, text }`. */
export function readSources(root, files) {
  return files.filter(isCode).map((file) => ({ path: file, text: fs.readFileSync(path.join(root, file), 'utf8') }))
}
