#!/usr/bin/env node
// How well mast_search finds a declaration that is known to be there. `docs/measurements.md` explains the figures.
//
//   node tests/corpus/search-quality.mjs --mast target/release/mast [--packages a,b | --root checkout]
//       [--count 60] [--seed 1] [--cache folder] [--markdown] [--misses] [--json file]

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { measure } from './lib/measure.mjs'
import { score, share } from './lib/numbers.mjs'
import { defaultCache, fetchPackage, listPackages } from './lib/packages.mjs'
import { KINDS, makeQueries, rankOf } from './lib/queries.mjs'
import { Session } from './lib/session.mjs'
import { alignedTable, markdownTable } from './lib/table.mjs'
import { readSources, walkedFiles } from './lib/walk.mjs'

const { values: options } = parseArgs({
  options: {
    mast: { type: 'string', default: 'mast' },
    packages: { type: 'string' },
    root: { type: 'string' },
    count: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    cache: { type: 'string', default: defaultCache },
    markdown: { type: 'boolean', default: false },
    misses: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})

/** Asks every query of one project; returns `{ name, answers }`, an answer being the query with its `kind` and `rank`. */
async function examine({ name, root }) {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'mast-quality-'))
  try {
    measure(options.mast, ['index', '--root', root, '--state-dir', state])
    const sources = readSources(root, walkedFiles(options.mast, root))
    const queries = makeQueries(sources, { count: Number(options.count), seed: Number(options.seed) })
    const session = await Session.open(options.mast, root, ['--state-dir', state, '--no-watch'])
    try {
      const answers = []
      for (const [kind, list] of Object.entries(queries)) {
        for (const query of list) {
          const { results } = await session.call('mast_search', { query: query.query, limit: 10 })
          answers.push({ kind, ...query, rank: rankOf(results, query) })
        }
      }
      return { name, answers }
    } finally {
      await session.close()
    }
  } finally {
    fs.rmSync(state, { recursive: true, force: true })
  }
}

function rows(results) {
  const table = [['', 'kind', 'asked', 'hit@1', 'hit@5', 'hit@10', 'MRR']]
  const all = { name: 'all', answers: results.flatMap(({ answers }) => answers) }
  for (const { name, answers } of results.length > 1 ? [...results, all] : results) {
    for (const kind of Object.keys(KINDS)) {
      const figures = score(answers.filter((answer) => answer.kind === kind).map(({ rank }) => rank))
      if (figures.asked === 0) continue
      const { asked, hit1, hit5, hit10, mrr } = figures
      table.push([name, kind, String(asked), share(hit1), share(hit5), share(hit10), share(mrr)])
    }
  }
  return table
}

const projects = options.root
  ? [{ name: path.basename(path.resolve(options.root)), root: fs.realpathSync(options.root) }]
  : listPackages(options.packages).map((entry) => ({ name: entry.name, root: fetchPackage(entry, options.cache) }))
const results = []
for (const project of projects) results.push(await examine(project))

console.log((options.markdown ? markdownTable : alignedTable)(rows(results)))
if (options.misses) {
  for (const { name, answers } of results) {
    for (const { kind, query, path: file, lines, rank } of answers.filter((answer) => answer.rank !== 1)) {
      console.log(`${name} ${kind} ${JSON.stringify(query)}: ${rank || 'not found'}, wanted ${file}:${lines[0]}`)
    }
  }
}
if (options.json) fs.writeFileSync(options.json, `${JSON.stringify(results, null, 2)}\n`)
