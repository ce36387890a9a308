// The program in docs/node.md does what the text says.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { root, storeProject, useBuiltAddon, writeFiles } from './support.mjs'

test('the documented program runs', (t) => {
  useBuiltAddon()
  const text = fs.readFileSync(path.join(root, 'docs/node.md'), 'utf8').replaceAll('\r\n', '\n')
  const programs = [...text.matchAll(/```js\n(.*?)```/gs)].map((match) => match[1])
  assert.equal(programs.length, 1, 'docs/node.md shows one whole program')
  const folder = writeFiles(storeProject(t), { 'callers.mjs': programs[0] })
  fs.mkdirSync(path.join(folder, 'node_modules/@spikedpunch'), { recursive: true })
  fs.symlinkSync(path.join(root, 'npm/mast'), path.join(folder, 'node_modules/@spikedpunch/mast'), 'junction')

  const run = (...args) => spawnSync(process.execPath, ['callers.mjs', ...args], { cwd: folder, encoding: 'utf8' })
  const answer = run('openStore')
  assert.deepEqual([answer.status, answer.stdout], [0, 'src/main.ts:4 start\n'], answer.stderr)
  const nothing = run('closeStore')
  assert.deepEqual([nothing.status, nothing.stdout], [0, 'closeStore is not in the index\n'], nothing.stderr)
})
