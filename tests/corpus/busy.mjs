#!/usr/bin/env node
// How long answers take while the index is rebuilt beside them, on a large repository made of copies of smaller ones.
//
//   node tests/corpus/busy.mjs --mast target/release/mast --source folder[,folder] [--copies 10] [--searches 50]

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { measure } from './lib/measure.mjs'
import { figure, median, percentile } from './lib/numbers.mjs'
import { makeQuestions } from './lib/questions.mjs'
import { Session } from './lib/session.mjs'
import { alignedTable } from './lib/table.mjs'
import { walkedFiles } from './lib/walk.mjs'

const { values: options } = parseArgs({
  options: {
    mast: { type: 'string', default: 'mast' },
    source: { type: 'string' },
    copies: { type: 'string', default: '10' },
    searches: { type: 'string', default: '50' },
  },
})
if (!options.source) throw new Error('--source: folders to make the repository of')

/** A repository of copies of the sources, as many of each as `--copies` says. */
function makeRepository(root) {
  const leaveOut = new Set(['.git', 'node_modules', '.mast'])
  for (const source of options.source.split(',')) {
    for (let copy = 0; copy < Number(options.copies); copy++) {
      const target = path.join(root, `${path.basename(source)}${copy}`)
      fs.cpSync(source, target, { recursive: true, filter: (file) => !leaveOut.has(path.basename(file)) })
    }
  }
}

/** Times of the first `count` searches, asked one after the other again and again while `goesOn()`. */
async function searches(session, list, count, goesOn = () => true) {
  const times = []
  for (let i = 0; i < count && goesOn(); i++) {
    times.push(await session.time('mast_search', list[i % list.length]))
    // Interleaved, not in a row: somebody reads an answer before the next question.
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return times
}

/** Times of searches while `work` lasts. */
async function searchesBeside(session, list, count, work) {
  let isDone = false
  const finished = work().finally(() => (isDone = true))
  const times = await searches(session, list, count, () => !isDone)
  const asked = times.length
  await finished
  if (asked < count) console.error(`only ${asked} of ${count} searches fell into the run`)
  return times
}

async function timesOf(session, tool, questions, runs) {
  const times = []
  for (const args of questions) {
    await session.call(tool, args)
    const own = []
    for (let run = 0; run < runs; run++) own.push(await session.time(tool, args))
    times.push(median(own))
  }
  return times
}

async function examine(root) {
  const rows = [['', 'median ms', 'p95 ms']]
  const row = (label, times) => rows.push([label, figure(median(times)), figure(percentile(times, 0.95))])
  measure(options.mast, ['index', '--root', root])
  const files = walkedFiles(options.mast, root)
  const [initialized, answered] = [[], []]
  for (let run = 0; run < 5; run++) {
    const session = await Session.open(options.mast, root)
    await session.call('mast_search', { query: 'parse' })
    answered.push(performance.now() - session.started)
    initialized.push(session.initialized)
    await session.close()
  }
  row('spawn to initialize answered', initialized)
  row('spawn to first tool answered', answered)

  const session = await Session.open(options.mast, root, ['--no-watch'])
  const questions = await makeQuestions(session, files)
  const count = Number(options.searches)
  await searches(session, questions.mast_search, questions.mast_search.length)
  row('search, idle', await searches(session, questions.mast_search, count))
  const reindex = () => session.call('mast_reindex', { full: true })
  row('search, server reindexing', await searchesBeside(session, questions.mast_search, count, reindex))
  row('callers, direct', await timesOf(session, 'mast_callers', questions.mast_callers, 3))
  let most = { count: -1 }
  for (const { symbol } of questions.mast_callers) {
    const { summary } = await session.call('mast_callers', { symbol, limit: 1, include_potential: false })
    if (summary.verified_count > most.count) most = { symbol, count: summary.verified_count }
  }
  const transitive = { symbol: most.symbol, transitive: true }
  row(`callers, transitive, ${most.symbol} (${most.count})`, await timesOf(session, 'mast_callers', [transitive], 5))
  await session.close()
  return { files: files.length, rows }
}

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'mast-busy-'))
try {
  makeRepository(root)
  const { files, rows } = await examine(root)
  console.log(`${files} files\n`)
  console.log(alignedTable(rows))
} finally {
  fs.rmSync(root, { recursive: true, force: true })
}
