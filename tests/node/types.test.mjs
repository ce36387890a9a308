// The type declarations: derived from the schemas, understood by TypeScript, and true.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { root, temporaryFolder } from './support.mjs'
import { declarations } from '../../npm/scripts/types.mjs'

test('everything derived is current', () => {
  const { status, stderr } = spawnSync(process.execPath, ['npm/scripts/sync.mjs', '--check'], { cwd: root })
  assert.equal(status, 0, String(stderr))
})

test('schemas become types', (t) => {
  const folder = temporaryFolder(t)
  const tool = {
    name: 'mast_two_words',
    description: 'Does */ it.',
    inputSchema: {
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', description: 'Whose.', minLength: 1 },
        kind: { type: ['string', 'null'], enum: ['a', 'b', null] },
        'odd-key': { type: ['integer', 'null'] },
        limit: { type: 'integer', description: 'Most rows.', minimum: 1, maximum: 50, default: 10 },
        depth: { type: ['integer', 'null'], description: 'How deep.', maximum: 100 },
        line: { type: 'integer', minimum: 1 },
        all: { type: 'boolean', description: 'Everything.', default: false },
        paths: { type: 'array', description: 'Which.', items: { type: 'string' }, minItems: 1, maxItems: 20 },
      },
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      required: ['rows', 'counts'],
      properties: {
        rows: { type: 'array', items: { type: 'object', properties: { line: { type: 'number' } } } },
        counts: { type: 'object', additionalProperties: { type: 'integer' } },
        either: { anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }] },
      },
    },
  }
  fs.writeFileSync(path.join(folder, 'mast_two_words.json'), JSON.stringify(tool))
  const text = declarations(folder)
  const part = text.slice(text.indexOf('/** Arguments of'))
  assert.equal(
    part,
    `/** Arguments of \`mast_two_words\`. */
export type TwoWordsInput = {
  /** Whose. Not empty. */
  name: string
  kind?: "a" | "b" | null
  "odd-key"?: number | null
  /** Most rows. From 1 to 50. 10 when left out. */
  limit?: number
  /** How deep. From 0 to 100. */
  depth?: number | null
  /** At least 1. */
  line?: number
  /** Everything. false when left out. */
  all?: boolean
  /** Which. From 1 to 20 entries. */
  paths?: Array<string>
}

/** Answer of \`mast_two_words\`. */
export type TwoWordsOutput = {
  rows: Array<{
    line?: number
  }>
  counts: Record<string, number>
  either?: Array<string> | null
}
`,
  )
  assert.ok(text.includes('  twoWords(args: TwoWordsInput, options?: CallOptions): Promise<TwoWordsOutput>'))
  assert.ok(text.includes('/** Does *\u200b/ it. */'))
})

// Where scripts/test put TypeScript; it is no dependency of the package.
const typescript = process.env.MAST_TEST_TYPESCRIPT
test('a typed program compiles', { skip: !typescript && 'MAST_TEST_TYPESCRIPT is not set' }, (t) => {
  const folder = temporaryFolder(t)
  fs.mkdirSync(path.join(folder, 'node_modules/@spikedpunch'), { recursive: true })
  fs.symlinkSync(path.join(root, 'npm/mast'), path.join(folder, 'node_modules/@spikedpunch/mast'), 'junction')
  const source = fs.readFileSync(path.join(root, 'tests/node/typed.ts'), 'utf8')
  for (const extension of ['mts', 'cts']) fs.writeFileSync(path.join(folder, `program.${extension}`), source)
  fs.writeFileSync(path.join(folder, 'package.json'), '{}')
  const options = ['--noEmit', '--strict', '--module', 'node16', '--target', 'es2022', '--lib', 'es2022,dom']
  execFileSync(process.execPath, [typescript, ...options, 'program.mts', 'program.cts'], {
    cwd: folder,
    stdio: 'inherit',
  })
})
