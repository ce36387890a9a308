// What a program does with the package: open, ask, be refused, close.

import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import fs from 'node:fs'
import path from 'node:path'
import test from 'node:test'
import { Worker } from 'node:worker_threads'
import { loadPackage, root, storeProject, temporaryFolder } from './support.mjs'

const { Mast, MastError, schemaVersion, tools, version } = await loadPackage()
const METHODS = [
  'search', 'projectSkeleton', 'exports', 'signature', 'callers', 'dependencies', 'implementors', 'renameImpact',
  'outline', 'section', 'reindex', 'status', 'efficiency',
]

async function openIndexed(t) {
  const mast = await Mast.open({ root: storeProject(t) })
  t.after(() => mast.close())
  await mast.reindex({ full: true })
  return mast
}

function fails(promise, code, message, name = 'MastError') {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof MastError)
    assert.ok(error instanceof Error)
    assert.deepEqual([error.name, error.code], [name, code], error.message)
    assert.match(error.message, message)
    assert.ok(!error.message.includes('\n'), 'one line')
    return true
  })
}

test('ESM and CommonJS share one class', () => {
  const required = createRequire(import.meta.url)('../../npm/mast/index.js')
  assert.equal(required.Mast, Mast)
  assert.equal(required.MastError, MastError)
  assert.deepEqual(Object.keys(required).sort(), [
    'Mast', 'MastError', 'executablePath', 'schemaVersion', 'tools', 'version',
  ])
})

test('there is one method for each tool', () => {
  const methods = Object.getOwnPropertyNames(Mast.prototype)
  assert.deepEqual(methods.sort(), [...METHODS, 'call', 'close', 'constructor'].sort())
  assert.equal(tools.length, METHODS.length)
  for (const tool of tools) {
    assert.match(tool.name, /^mast_[a-z_]+$/)
    assert.ok(tool.description.length > 20, tool.name)
    assert.equal(tool.inputSchema.type, 'object', tool.name)
    assert.equal(tool.outputSchema.type, 'object', tool.name)
    assert.equal(tool.annotations.readOnlyHint, tool.name !== 'mast_reindex', tool.name)
  }
  assert.equal(Mast.prototype.search.name, 'search')
})

test('versions are those of the manifest', () => {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, 'npm/mast/package.json'), 'utf8'))
  assert.equal(version, manifest.version)
  assert.equal(schemaVersion, manifest.mast.schemaVersion)
})

test('answers are objects with the fields of the tool', async (t) => {
  const mast = await openIndexed(t)
  const { results, _stats } = await mast.search({ query: 'openStore', limit: 1 })
  assert.equal(results.length, 1)
  const { file_path, symbol_name, start_line, end_line, is_exported, rank } = results[0]
  assert.deepEqual(
    { file_path, symbol_name, start_line, end_line, is_exported, rank },
    { file_path: 'src/store.ts', symbol_name: 'openStore', start_line: 8, end_line: 10, is_exported: true, rank: 1 },
  )
  assert.equal(_stats.tool, 'mast_search')

  const callers = await mast.callers({ symbol: 'openStore' })
  assert.deepEqual(
    callers.verified_callers.map((site) => [site.file_path, site.caller_symbol, site.line, site.resolution]),
    [['src/main.ts', 'start', 4, 'import']],
  )

  const status = await mast.status()
  assert.equal(status.indexed_files, 3)
  assert.equal(status.schema_version, schemaVersion)
})

test('a method and the generic call answer alike', async (t) => {
  const mast = await openIndexed(t)
  const strip = ({ _stats: { duration_ms, ...stats }, ...answer }) => ({ ...answer, _stats: stats })
  const args = { file_path: 'src/store.ts' }
  assert.deepEqual(strip(await mast.call('mast_exports', args)), strip(await mast.exports(args)))
})

test('failures carry a stable code', async (t) => {
  const mast = await openIndexed(t)
  await fails(mast.call('mast_nothing'), 'invalid_input', /mast_nothing.*mast_search/)
  await fails(mast.search({}), 'invalid_input', /query/)
  await fails(mast.search(), 'invalid_input', /query/)
  await fails(mast.search({ query: 3 }), 'invalid_input', /query/)
  await fails(mast.search({ query: 'a', limit: 0 }), 'invalid_input', /limit/)
  await fails(mast.search({ query: 'a', limt: 1 }), 'invalid_input', /limt/)
  await fails(mast.search([]), 'invalid_input', /object/)
  await fails(mast.search('openStore'), 'invalid_input', /object/)
  assert.throws(() => new Mast(), TypeError)
})

/** The whole message of a refusal; `said` is text. */
function refuses(promise, said) {
  return fails(promise, 'invalid_input', new RegExp(`^${escape(said)}$`))
}

function escape(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

test('options that are not acceptable are named', async (t) => {
  const folder = temporaryFolder(t)
  const list = 'the arguments are root, state_dir'
  await refuses(Mast.open([folder]), 'options: expected an object, got an array')
  await refuses(Mast.open(folder), 'options: expected an object, got a string')
  await refuses(Mast.open(null), 'options: expected an object, got null')
  await refuses(Mast.open(5), 'options: expected an object, got the number 5')
  await refuses(Mast.open(() => {}), 'options: expected a value of JSON, got a function')
  await refuses(Mast.open({ rot: '.' }), `options.rot: unknown argument; ${list}`)
  await refuses(Mast.open({ root: 7 }), 'options.root: expected a string, got the number 7')
  await refuses(Mast.open({ root: [folder] }), 'options.root: expected a string, got an array')
  const half = 'is not well-formed text: it holds half of a surrogate pair'
  await refuses(Mast.open({ root: `${folder}\ud800` }), `options.root: ${half}`)
})

test('arguments that JSON cannot carry are named', async (t) => {
  const mast = await openIndexed(t)
  const query = 'openStore'
  for (const limit of [NaN, Infinity, -Infinity, new Number(NaN)]) {
    await refuses(mast.search({ query, limit }), `mast_search: limit: expected a value of JSON, got ${limit}`)
  }
  await refuses(mast.search({ query: 1n }), 'mast_search: query: expected a value of JSON, got a bigint')
  await refuses(mast.search({ query, limit: () => 1 }), 'mast_search: limit: expected a value of JSON, got a function')
  await refuses(mast.search({ query: Symbol('a') }), 'mast_search: query: expected a value of JSON, got a symbol')
  await refuses(mast.outline({ paths: ['.', undefined] }), 'mast_outline: paths[1]: expected a value of JSON, got undefined')
  await refuses(mast.outline({ paths: new Array(1) }), 'mast_outline: paths[0]: expected a value of JSON, got undefined')
  const half = 'is not well-formed text: it holds half of a surrogate pair'
  await refuses(mast.search({ query: '\ud800abc' }), `mast_search: query: ${half}`)
  const sections = [{ file_path: 'README.md', heading: 'a\udc00' }]
  await refuses(mast.section({ sections }), `mast_section: sections[0].heading: ${half}`)
  await fails(mast.search({ query, '\ud800': 1 }), 'invalid_input', /its name is not well-formed text$/)

  const cycle = {}
  cycle.self = cycle
  await refuses(mast.search(cycle), 'mast_search: not a value of JSON: Converting circular structure to JSON')
  const trap = { get query() { throw new Error('no\nway') } }
  await refuses(mast.search(trap), 'mast_search: not a value of JSON: no')
  let deep = 1
  for (let i = 0; i < 200_000; i++) deep = [deep]
  await refuses(mast.search({ query: deep }), 'mast_search: nested too deeply')

  // An argument that is undefined is one that is left out, and one object may stand in two places.
  assert.equal((await mast.search({ query, limit: 1, language: undefined })).results.length, 1)
  const part = { file_path: 'README.md', heading: 'A project' }
  assert.equal((await mast.section({ sections: [part, part] })).sections.length, 2)
})

test('options of a call that are not acceptable are named', async (t) => {
  const mast = await openIndexed(t)
  const search = (options) => mast.search({ query: 'openStore' }, options)
  const signal = (what) => `options.signal: expected an AbortSignal, got ${what}`
  await refuses(search(5), 'options: expected an object, got the number 5')
  await refuses(search(null), 'options: expected an object, got null')
  await refuses(search([]), 'options: expected an object, got an array')
  await refuses(search(() => {}), 'options: expected an object, got a function')
  await refuses(search({ singal: null }), 'options.singal: unknown option; the options are signal, onProgress')
  await refuses(search({ signal: 5 }), signal('the number 5'))
  await refuses(search({ signal: 'now' }), signal('a string'))
  await refuses(search({ signal: new AbortController() }), signal('an object'))
  await refuses(
    mast.reindex({ full: true }, { onProgress: 5 }),
    'options.onProgress: expected a function, got the number 5',
  )
  await refuses(mast.call(undefined), 'tool: expected a string, got undefined')
  await refuses(mast.call({ toString: () => 'mast_status' }), 'tool: expected a string, got an object')

  for (const options of [undefined, {}, { signal: null, onProgress: null }, { signal: undefined }]) {
    assert.equal((await search(options)).results[0].symbol_name, 'openStore')
  }
})

test('a project without an index says so', async (t) => {
  const mast = await Mast.open({ root: temporaryFolder(t) })
  t.after(() => mast.close())
  await fails(mast.search({ query: 'a' }), 'no_index', /mast index/)
})

test('text of every kind survives the border', async (t) => {
  const mast = await openIndexed(t)
  for (const query of ['"; DROP TABLE', 'a\0b', 'a\u2028b', '😀 née', 'x'.repeat(100_000)]) {
    const { results } = await mast.search({ query })
    assert.ok(Array.isArray(results))
  }
})

test('calls overlap on one project', async (t) => {
  const mast = await openIndexed(t)
  const calls = Array.from({ length: 40 }, (_, i) =>
    i % 4 === 3 ? mast.call(`mast_no_${i}`).catch((error) => error.message) : mast.search({ query: 'openStore' }),
  )
  const answers = await Promise.all(calls)
  for (const [i, answer] of answers.entries()) {
    if (i % 4 === 3) assert.ok(answer.includes(`mast_no_${i}`))
    else assert.equal(answer.results[0].symbol_name, 'openStore')
  }
})

test('close lets running calls end, and ends it', async (t) => {
  const mast = await Mast.open({ root: storeProject(t) })
  const running = mast.reindex({ full: true })
  const closing = mast.close()
  await fails(mast.status(), 'invalid_input', /closed/)
  assert.equal(await closing, undefined)
  assert.equal((await running).files_indexed, 3)
  assert.equal(await mast.close(), undefined)
})

test('works in a worker thread', async (t) => {
  const folder = storeProject(t)
  const code = `
    const { parentPort, workerData } = require('node:worker_threads')
    const { Mast } = require(workerData.entry)
    Mast.open({ root: workerData.folder })
      .then(async (mast) => {
        const report = await mast.reindex({}, { onProgress() {} })
        await mast.close()
        parentPort.postMessage(report.files_indexed)
      })`
  const entry = path.join(root, 'npm/mast/index.js')
  const worker = new Worker(code, { eval: true, workerData: { entry, folder } })
  const answer = await new Promise((resolve, reject) => worker.on('message', resolve).on('error', reject))
  assert.equal(answer, 3)
  await worker.terminate()
})
