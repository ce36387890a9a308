// The benchmark and the search score on a project of three files, and what they compute with.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { built, temporaryFolder, writeFiles } from '../node/support.mjs'
import { declarations, firstSentence, nameWords } from './lib/declarations.mjs'
import { measure } from './lib/measure.mjs'
import { figure, median, percentile, score, share } from './lib/numbers.mjs'
import { hasIntegrity, listPackages } from './lib/packages.mjs'
import { makeQueries, rankOf } from './lib/queries.mjs'
import { questionsAbout } from './lib/questions.mjs'
import { sample } from './lib/random.mjs'
import { alignedTable, markdownTable } from './lib/table.mjs'

const mast = path.join(built, process.platform === 'win32' ? 'mast.exe' : 'mast')
const script = (name) => fileURLToPath(new URL(name, import.meta.url))

const PROJECT = {
  'src/cart.ts': `/**
 * Adds up what lies in a cart. The currency is ignored.
 */
export function cartTotalPrice(prices: number[]): number {
  return prices.reduce((sum, price) => sum + price, 0);
}

export class Checkout {
  pay(): number {
    return cartTotalPrice([1, 2]);
  }
}
`,
  'src/text.js': `const shorten = (text) => text.slice(0, 3);
module.exports = { shorten };
`,
  'README.md': '# Shop\n\nA cart and a checkout.\n',
}

test('percentiles are by nearest rank, a median of an even number is between two', () => {
  const values = [40, 10, 30, 20]
  assert.deepEqual([0.25, 0.26, 0.95, 1].map((part) => percentile(values, part)), [10, 20, 40, 40])
  assert.equal(percentile([], 0.5), null)
  assert.equal(median(values), 25)
  assert.equal(median([9, 1, 10]), 9) // by size, not by spelling
  assert.equal(median([]), null)
})

test('a score counts what was not found', () => {
  assert.deepEqual(score([1, 2, 0, 10]), { asked: 4, hit1: 0.25, hit5: 0.5, hit10: 0.75, mrr: (1 + 1 / 2 + 1 / 10) / 4 })
  assert.deepEqual(score([]), { asked: 0, hit1: null, hit5: null, hit10: null, mrr: null })
})

test('figures keep three digits, shares three decimals', () => {
  assert.deepEqual([0, 0.0123, 1.234, 12.34, 1234.5, null].map(figure), ['0.000', '0.012', '1.23', '12.3', '1235', 'n/a'])
  assert.deepEqual([0.9674, 1, 0, null].map(share), ['.967', '1.000', '.000', 'n/a'])
})

test('tables align figures to the right', () => {
  const rows = [
    ['', 'ms'],
    ['a|b', '12.5'],
    ['c', '7'],
  ]
  assert.equal(alignedTable(rows), '       ms\na|b  12.5\nc       7')
  assert.equal(markdownTable(rows), '|  | ms |\n| --- | --: |\n| a\\|b | 12.5 |\n| c | 7 |')
})

test('a sample is the same for the same seed, keeps the order, and has no item twice', () => {
  const items = Array.from({ length: 100 }, (_, i) => i)
  const chosen = sample(items, 10, 1)
  assert.deepEqual(sample(items, 10, 1), chosen)
  assert.notDeepEqual(sample(items, 10, 2), chosen)
  assert.equal(new Set(chosen).size, 10)
  assert.deepEqual([...chosen].sort((a, b) => a - b), chosen)
  assert.deepEqual(sample(['a', 'b'], 5, 1), ['a', 'b'])
})

test('declarations are found with their comments, and nothing in comments', () => {
  const source = `/* export function old() {} */
/**
function hidden() {}
 */
export default async function* first() {
  function inner() {}
}
/** One line of it. */
@sealed
export abstract class Second {}

/** Of the third. */
const value = 3
interface Third {}
type Fourth<T> = T
export const enum Fifth {}
const sixth = async (a: string): Promise<void> => {}
let seventh: Handler = function () {}
const eighth = item => item
const notOne = call(() => 1)
`
  assert.deepEqual(
    declarations(source).map(({ name, line, doc, main }) => [name, line, doc, ...(main ? [] : ['passing'])]),
    [
      ['first', 5, 'function hidden() {}'],
      ['inner', 6, null, 'passing'],
      ['Second', 10, 'One line of it.'],
      ['value', 13, 'Of the third.', 'passing'],
      ['Third', 14, null],
      ['Fourth', 15, null],
      ['Fifth', 16, null],
      ['sixth', 17, null],
      ['seventh', 18, null],
      ['eighth', 19, null],
      ['notOne', 20, null, 'passing'],
    ],
  )
})

test('a first sentence is plain words, at least four', () => {
  const marked = 'Opens the {@link Store store} of {@link Key}s by `name`. And more.'
  assert.equal(firstSentence(marked), 'Opens the store of Keys by name.')
  assert.equal(firstSentence('Wraps\nover two lines\n\nNext paragraph.'), 'Wraps over two lines')
  assert.equal(firstSentence('Uses v1.2 of the format\n@param a thing'), 'Uses v1.2 of the format')
  assert.equal(firstSentence('Too short this.'), null)
  assert.equal(firstSentence('@internal never shown to anybody'), null)
})

test('the words of a name', () => {
  const words = (name) => nameWords(name).map(({ text }) => text)
  assert.deepEqual(words('parseHTTPHeader_now2'), ['parse', 'HTTP', 'Header', 'now', '2'])
  assert.deepEqual(words('_$'), [])
})

test('queries name exactly one declaration', () => {
  const sources = Object.entries({
    'a.ts': '/** Reads the whole file again. */\nexport function readFileAgain() {}\nfunction Open() {}\n',
    'b.ts': 'function twice(a: 1): 1\nfunction twice(a: 2): 2\nfunction same() {}\nfunction readFileOnce() {}\n',
    'c.ts': 'function SAME() {}\nfunction writeFileAgain() {}\nfunction nested() {\n  function nested() {}\n}\n',
    'd.ts': '/** Two have this sentence. */\nfunction one() {}\n/** Two have this sentence. */\nfunction other() {}\n',
    'e.ts': 'const plain = 2\nconst readingAll = 1\nfunction readingAllLines() {}\n',
  }).map(([file, text]) => ({ path: file, text }))
  const queries = makeQueries(sources, { count: 10, seed: 1 })
  const asked = (kind) => queries[kind].map(({ query, path: file, lines }) => [query, file, ...lines])
  assert.deepEqual(asked('exact'), [
    ['readFileAgain', 'a.ts', 2],
    ['Open', 'a.ts', 3],
    ['twice', 'b.ts', 1, 2],
    ['readFileOnce', 'b.ts', 4],
    ['writeFileAgain', 'c.ts', 2],
    ['one', 'd.ts', 2],
    ['other', 'd.ts', 4],
    ['readingAllLines', 'e.ts', 3],
  ])
  assert.deepEqual(asked('lower').map(([query]) => query), ['open', 'twice', 'one', 'other'])
  assert.deepEqual(asked('words')[0], ['read file again', 'a.ts', 2])
  // Two names begin with readFile, and readingAll is one itself.
  assert.deepEqual(asked('prefix'), [['writeFile', 'c.ts', 2]])
  assert.deepEqual(asked('doc'), [['Reads the whole file again.', 'a.ts', 2]])
  assert.equal(makeQueries(sources, { count: 2, seed: 1 }).exact.length, 2)
})

test('an answer is right by its line or its name, in the right file only', () => {
  const wanted = { path: 'a.ts', name: 'open', lines: [5] }
  const other = { file_path: 'b.ts', symbol_name: 'open', start_line: 5, end_line: 9 }
  const member = { file_path: 'a.ts', symbol_name: 'open.close', start_line: 6, end_line: 7 }
  const around = { file_path: 'a.ts', symbol_name: null, start_line: 1, end_line: 5 }
  const part = { file_path: 'a.ts', symbol_name: 'open', start_line: 100, end_line: 150 }
  assert.equal(rankOf([other, member, around], wanted), 3)
  assert.equal(rankOf([part], wanted), 1)
  assert.equal(rankOf([other, member], wanted), 0)
})

test('half of the searches are words, skeletons are of the project and its directories', () => {
  const questions = questionsAbout(['openStore', 'readFile'], ['src/a.ts', 'src/lib/b.ts', 'c.ts', 'src/d.ts'])
  assert.deepEqual(questions.mast_search, [{ query: 'openStore' }, { query: 'read file' }])
  assert.deepEqual(questions.mast_callers, [{ symbol: 'openStore' }, { symbol: 'readFile' }])
  assert.deepEqual(questions.mast_project_skeleton, [{}, { directory: 'src' }, { directory: 'src/lib' }])
})

test('every package is pinned by version and digest', () => {
  for (const { name, version, integrity, style } of listPackages()) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name)
    assert.match(integrity, /^sha512-[\w+/]{86}==$/, name)
    assert.ok(style, name)
  }
  assert.throws(() => listPackages('rxjs,nothing'), /no package nothing/)
  const empty = 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='
  assert.ok(hasIntegrity(Buffer.alloc(0), empty))
  assert.ok(!hasIntegrity(Buffer.from('x'), empty))
})

test('a command that fails has no cost', () => {
  assert.throws(() => measure(process.execPath, ['-e', 'console.error("broken"); process.exit(3)']), /failed .*: broken/)
  const { wall, stdout } = measure(process.execPath, ['-e', 'process.stdin.pipe(process.stdout)'], { input: 'given' })
  assert.ok(wall > 0)
  assert.equal(stdout, 'given')
})

test('the search score of a small checkout, which is left as it was', (t) => {
  const root = writeFiles(temporaryFolder(t), PROJECT)
  const file = path.join(temporaryFolder(t), 'answers.json')
  const output = execFileSync(
    process.execPath,
    [script('search-quality.mjs'), '--mast', mast, '--root', root, '--markdown', '--json', file],
    { encoding: 'utf8' },
  )
  const name = path.basename(root)
  assert.ok(output.startsWith('|  | kind | asked | hit@1 | hit@5 | hit@10 | MRR |\n'), output)
  assert.ok(output.includes(`| ${name} | exact | 3 | 1.000 | 1.000 | 1.000 | 1.000 |`), output)
  assert.ok(output.includes(`| ${name} | doc | 1 |`), output)
  const [{ answers }] = JSON.parse(fs.readFileSync(file, 'utf8'))
  assert.deepEqual(
    answers.map(({ kind, query }) => [kind, query]),
    [
      ['exact', 'cartTotalPrice'],
      ['exact', 'Checkout'],
      ['exact', 'shorten'],
      ['lower', 'checkout'],
      ['lower', 'shorten'],
      ['words', 'cart total price'],
      ['prefix', 'cartTotal'],
      ['doc', 'Adds up what lies in a cart.'],
    ],
  )
  assert.ok(!fs.existsSync(path.join(root, '.mast')))
})

test('the benchmark of a package that is in the cache', (t) => {
  const [entry] = listPackages('rxjs')
  const cache = temporaryFolder(t)
  const root = writeFiles(path.join(cache, `rxjs-${entry.version}`), PROJECT)
  const file = path.join(cache, 'figures.json')
  const output = execFileSync(
    process.execPath,
    [script('bench.mjs'), '--mast', mast, '--packages', 'rxjs', '--runs', '1', '--cache', cache, '--json', file],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  )
  assert.match(output, /^files +3$/m)
  assert.match(output, /^mast_callers, p95 ms +\d/m)
  const { results } = JSON.parse(fs.readFileSync(file, 'utf8'))
  const [result] = results
  assert.equal(result.sourceBytes, Object.values(PROJECT).join('').length)
  assert.ok(result.stateBytes > 0)
  assert.equal(result.warm.mast_callers.questions, 2) // one name for each of the two code files
  for (const cost of [result.cold, result.unchanged, result.edited, ...Object.values(result.commands)]) {
    assert.ok(cost.wall > 0)
  }
  assert.ok(result.start.initialized < result.start.answered)
  assert.equal(fs.readFileSync(path.join(root, 'src/cart.ts'), 'utf8'), PROJECT['src/cart.ts'])
  assert.equal(fs.readFileSync(path.join(root, 'src/text.js'), 'utf8'), PROJECT['src/text.js'])
})
