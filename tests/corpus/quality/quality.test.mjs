// The benchmark measures others; this measures the benchmark, on a project whose calls can be counted by hand.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import test, { before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { artifacts, targets } from '../../../npm/scripts/targets.mjs'
import platform from '../../../npm/mast/lib/platform.js'
import { built } from '../../node/support.mjs'
import { CORE } from './names.mjs'
import { report } from './report.mjs'
import * as scoring from './score.mjs'
import { buildTruth, loadTypeScript } from './truth.mjs'

const { indexTruth, sampled, scoreAll, scoreCallers, scoreExports, scoreImplementors, scoreImports, targetsToAsk } = scoring

const here = path.dirname(fileURLToPath(import.meta.url))
const fixture = path.join(here, 'fixture')
const FILES = ['src/index.ts', 'src/shadow.ts', 'src/shapes.ts', 'src/use.tsx']
const EVERYTHING = { n: 0, seed: 1 }

// Where scripts/test put TypeScript; it is no dependency of the project.
const compiler = process.env.MAST_TEST_TYPESCRIPT
const typescript = compiler && path.resolve(compiler, '../..')
const options = { skip: !compiler && 'MAST_TEST_TYPESCRIPT is not set' }

let truth
before(() => {
  if (compiler) truth = buildTruth({ ts: loadTypeScript(typescript), root: fixture, files: FILES })
})

const shown = (key) => key.replace('src/', '').replace('\0', ' ')

/** The sites as text: `file:line:column form -> targets`. */
function sites() {
  return truth.sites
    .map(({ file, line, column, form, state, targets, accepted }) => {
      const to = state === 'resolved' ? targets.map(shown).sort().join(' + ') : state
      const or = accepted.map((key) => ` or ${shown(key)}`).join('')
      return `${file.replace('src/', '')}:${line}:${column} ${form} -> ${to}${or}`
    })
    .sort()
}

test('every call of the fixture goes where a reader says it goes', options, () => {
  assert.deepEqual(
    sites(),
    [
      'index.ts:4:10 template -> index.ts text',
      'index.ts:4:28 call -> shapes.ts Shape.area',
      'index.ts:9:16 call -> outside',
      'index.ts:9:28 call -> outside',
      // A parameter, a constant of the block and a local function hide what else has their names.
      'shadow.ts:3:49 call -> local',
      'shadow.ts:8:5 call -> shadow.ts blocks.text',
      'shadow.ts:11:3 call -> shadow.ts blocks.area',
      'shadow.ts:13:13 call -> shadow.ts blocks.read.text.text or index.ts text',
      'shadow.ts:14:11 call -> outside',
      'shapes.ts:9:12 call -> shapes.ts product',
      'shapes.ts:13:16 new -> shapes.ts Square',
      'shapes.ts:19:5 super -> shapes.ts Square',
      // Inherited: the method of the class that declares it.
      'shapes.ts:22:29 call -> shapes.ts Square.area',
      'shapes.ts:27:17 call -> outside',
      'shapes.ts:27:24 call -> shapes.ts product',
      // Typed as the interface: no class is named.
      'use.tsx:6:22 call -> shapes.ts Shape.area',
      'use.tsx:17:2 decorator -> use.tsx logged',
      // A union: the method of each member.
      'use.tsx:20:16 call -> shapes.ts Disc.area + shapes.ts Square.area',
      // A constant with a name of its own: listing the function it stands for is no fault.
      'use.tsx:20:25 call -> use.tsx again or use.tsx tools.twice',
      'use.tsx:20:35 new -> shapes.ts Square',
      'use.tsx:25:31 call -> shapes.ts Square.unit',
      'use.tsx:26:3 call -> shapes.ts Square.area or use.tsx main.area',
      'use.tsx:27:12 call -> unknown',
      'use.tsx:28:7 new -> use.tsx Board',
      'use.tsx:28:15 call -> use.tsx Board.sum',
      'use.tsx:28:27 new -> shapes.ts Tile',
      'use.tsx:29:6 jsx -> use.tsx Label',
      'use.tsx:29:16 call -> index.ts describe',
      'use.tsx:29:33 template -> index.ts text',
    ].sort(),
  )
})

test('imports lead through paths and the package itself', options, () => {
  const imports = truth.files.flatMap(({ file, imports: list }) =>
    list.map(({ module, line, target }) => `${file}:${line} ${module} -> ${target}`),
  )
  assert.deepEqual(imports, [
    'src/index.ts:1 ./shapes.js -> src/shapes.ts',
    'src/index.ts:2 ./shapes.js -> src/shapes.ts',
    'src/index.ts:6 @/shapes -> src/shapes.ts',
    'src/shadow.ts:1 . -> src/index.ts',
    'src/use.tsx:1 shapes -> src/index.ts',
    'src/use.tsx:2 ./index -> src/index.ts',
  ])
})

test('exports and implementors are those of the text', options, () => {
  assert.deepEqual(Object.fromEntries(truth.files.map(({ file, exports }) => [file, exports])), {
    'src/index.ts': { Box: 're-export', default: 'own', text: 'own', Shape: 'star', Square: 'star', Tile: 'star', Disc: 'star' },
    'src/shadow.ts': { pick: 'own', blocks: 'own' },
    'src/shapes.ts': { Shape: 'own', Square: 'own', Tile: 'own', Disc: 'own' },
    'src/use.tsx': { main: 'own' },
  })
  const classes = truth.interfaces.map(({ name, classes: list }) => `${name}: ${list.map((one) => one.name).join(' ')}`)
  assert.deepEqual(classes, ['Shape: Square Tile Disc', 'Square: Tile', 'Tile: ', 'Disc: ', 'Board: '])
})

/** What a perfect mast would say about one target. */
function perfect(target) {
  const index = indexTruth(truth)
  const verified = index.byKey.get(`${target.file}\0${target.name}`).sites.map(entry)
  return { index, answer: { verified_callers: verified, potential_matches: [] } }
}

const entry = ({ file, line, column }) => ({ file_path: file, line, column, caller_symbol: 'x', resolution: 'import', context: 'x' })
const at = (file, line, column) => entry({ file: `src/${file}`, line, column })
const target = (file, name) => ({ file: `src/${file}`, name, kind: 'function' })
const verdicts = ({ entries }) => entries.map(({ verdict }) => verdict)
const found = ({ sites: list }) => list.map(({ verified, seen }) => `${verified} ${seen}`)

test('a perfect answer has no fault', options, () => {
  const { index, answer } = perfect(target('shapes.ts', 'Square.area'))
  const score = scoreCallers(index, target('shapes.ts', 'Square.area'), answer)
  assert.deepEqual(verdicts(score), ['right', 'right', 'right'])
  assert.deepEqual(found(score), ['true true', 'true true', 'true true'])
})

test('false callers are wrong, each for its reason', options, () => {
  const asked = target('index.ts', 'text')
  const { index, answer } = perfect(asked)
  answer.verified_callers.push(
    at('shadow.ts', 3, 49),
    at('shadow.ts', 8, 5),
    at('index.ts', 9, 16),
    at('shadow.ts', 14, 15),
    at('shadow.ts', 13, 13),
    at('use.tsx', 27, 12),
  )
  const score = scoreCallers(index, asked, answer)
  assert.deepEqual(
    score.entries.slice(2).map(({ verdict, reason }) => `${verdict}: ${reason}`),
    [
      'wrong: calls a local value',
      'wrong: calls src/shadow.ts blocks.text',
      'wrong: calls what no indexed file declares',
      'alias: undefined',
      'unknown: undefined',
      'wrong: no call of it on this line',
    ],
  )
})

test('a class is wrong where its interface is called', options, () => {
  const asked = target('shapes.ts', 'Square.area')
  const score = scoreCallers(perfect(asked).index, asked, { verified_callers: [at('index.ts', 4, 28)] })
  assert.deepEqual(score.entries.map(({ reason }) => reason), ['calls src/shapes.ts Shape.area'])
  assert.deepEqual(found(score), ['false false', 'false false', 'false false'])
})

test('another column is forgiven to one entry for one call', options, () => {
  const asked = target('shapes.ts', 'product')
  const near = [at('shapes.ts', 9, 5), at('shapes.ts', 9, 6), at('shapes.ts', 8, 5)]
  const score = scoreCallers(perfect(asked).index, asked, { verified_callers: near })
  assert.deepEqual(verdicts(score), ['right', 'wrong', 'wrong'])
  assert.deepEqual(found(score), ['true true', 'false false'])
})

test('a potential match is seen, not verified', options, () => {
  const asked = target('shapes.ts', 'product')
  const answer = { verified_callers: [at('shapes.ts', 9, 12)], potential_matches: [{ file_path: 'src/shapes.ts', line: 27 }] }
  const score = scoreCallers(perfect(asked).index, asked, answer)
  assert.deepEqual(found(score), ['true true', 'false true'])
})

test('what a list was cut before is not missed', options, () => {
  const asked = target('shapes.ts', 'product')
  const answer = { verified_callers: [at('shapes.ts', 9, 12)], verified_truncated: 2 }
  assert.deepEqual(found(scoreCallers(perfect(asked).index, asked, answer)), ['true true'])
})

test('an entry about another declaration of the name is not counted', options, () => {
  const asked = target('index.ts', 'text')
  const other = { ...at('shadow.ts', 8, 5), target: { symbol: 'blocks.text', kind: 'function', file_path: 'src/shadow.ts', line: 7 } }
  const score = scoreCallers(perfect(asked).index, asked, { verified_callers: [other] })
  assert.deepEqual(verdicts(score), [])
})

test('imports, exports and implementors are judged both ways', options, () => {
  const file = truth.files.find((one) => one.file === 'src/index.ts')
  const imports = [
    { module: './shapes.js', line: 1, resolved_path: 'src/shapes.ts' },
    { module: './shapes.js', line: 2, resolved_path: 'src/use.tsx' },
  ]
  assert.deepEqual(scoreImports(file, { imports }).map(({ verdict }) => verdict), ['right', 'wrong', 'missed'])

  const exports = [{ name: 'Box' }, { name: 'default' }, { name: '*' }, { name: 'invented' }]
  const score = scoreExports(file, { exports })
  assert.deepEqual(score.wrong, ['invented'])
  assert.deepEqual(score.due.filter((one) => !one.found).map(({ name }) => name), ['text', 'Shape', 'Square', 'Tile', 'Disc'])

  const shape = truth.interfaces.find(({ name }) => name === 'Shape')
  const results = ['Square', 'Board'].map((name) => ({ class_name: name, file_path: 'src/shapes.ts', interface_file: shape.file }))
  assert.deepEqual(scoreImplementors(shape, { results }), {
    file: 'src/shapes.ts',
    name: 'Shape',
    right: 1,
    missed: ['src/shapes.ts Tile', 'src/shapes.ts Disc'],
    wrong: ['src/shapes.ts Board'],
  })
})

test('a sample is the same every time, in order, and another for another seed', () => {
  const list = Array.from({ length: 100 }, (_, n) => n)
  const one = sampled(list, { n: 10, seed: 1 })
  assert.deepEqual(sampled(list, { n: 10, seed: 1 }), one)
  assert.notDeepEqual(sampled(list, { n: 10, seed: 2 }), one)
  assert.equal(new Set(one).size, 10)
  assert.deepEqual([...one].sort((a, b) => a - b), one)
  assert.deepEqual(sampled(list, { n: 0, seed: 1 }), list)
})

test('a silent mast finds nothing and says nothing wrong', options, async () => {
  const session = { call: async () => ({}) }
  const result = await scoreAll(session, truth, EVERYTHING)
  const row = report([{ name: 'fixture', truth, result }], true).split('\n')[2]
  const asked = targetsToAsk(indexTruth(truth), EVERYTHING).filter(({ kind }) => CORE.includes(kind)).length
  // 19 calls, and one more for the second member of the union; those of nested functions and of a constant are apart.
  assert.equal(row, `| fixture | 4 | ${asked} | 0 | 0 | – | 20 | 0.0 % | 0.0 % | 0.0 % | 0.0 % | 0.0 % | 0.0 % | 0 | 0.0 % of 4 |`)
})

test('the command measures the built mast', { ...options, timeout: 120_000 }, () => {
  const executable = path.join(built, artifacts(targets.find(({ name }) => name === platform.target())).executable)
  const run = [path.join(here, 'run.mjs'), '--mast', executable, '--root', fixture, '--typescript', typescript, '--markdown']
  const output = execFileSync(process.execPath, run, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const cells = output.split('\n')[2].split(' | ')
  assert.equal(cells[0], '| fixture')
  assert.equal(cells[4], '0', 'wrong entries')
  assert.equal(cells[5], '100.0 %', 'precision')
  assert.equal(cells[6], '20', 'sites')
  assert.equal(fs.existsSync(path.join(fixture, '.mast')), false)
})
