#!/usr/bin/env node
// Measures mast on real packages. `docs/measurements.md` explains the figures.
//
//   node tests/corpus/bench.mjs --mast target/release/mast [--runs 5] [--packages a,b]
//       [--cache folder] [--markdown] [--json file]

import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { cpuSoFar, folderSize, hasUsage, measure } from './lib/measure.mjs'
import { figure, median, percentile } from './lib/numbers.mjs'
import { defaultCache, fetchPackage, listPackages } from './lib/packages.mjs'
import { makeQuestions } from './lib/questions.mjs'
import { Session } from './lib/session.mjs'
import { alignedTable, markdownTable } from './lib/table.mjs'
import { isCode, walkedFiles } from './lib/walk.mjs'

const { values: options } = parseArgs({
  options: {
    mast: { type: 'string', default: 'mast' },
    runs: { type: 'string', default: '5' },
    packages: { type: 'string' },
    cache: { type: 'string', default: defaultCache },
    markdown: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const runs = Number(options.runs)
if (!Number.isInteger(runs) || runs < 1) throw new Error(`--runs ${options.runs}: a whole number from 1 is needed`)
const megabyte = 1e6

/** Repeats a measurement and returns the median of each of its figures. */
function repeat(once) {
  const costs = Array.from({ length: runs }, once)
  const of = (key) => (costs[0][key] === null ? null : median(costs.map((cost) => cost[key])))
  return { wall: of('wall'), cpu: of('cpu'), rss: of('rss') }
}

function mast(args, settings) {
  return measure(options.mast, args, settings)
}

function index(root) {
  const files = walkedFiles(options.mast, root)
  const sourceBytes = files.reduce((sum, file) => sum + fs.statSync(path.join(root, file)).size, 0)
  const state = path.join(root, '.mast')
  const cold = repeat(() => {
    fs.rmSync(state, { recursive: true, force: true })
    return mast(['index', '--root', root])
  })
  return { files, sourceBytes, cold, stateBytes: folderSize(state) }
}

function incremental(root, expected) {
  const cost = mast(['index', '--incremental', '--root', root])
  if (!cost.stdout.startsWith(expected)) throw new Error(`expected ${expected}, not: ${cost.stdout}`)
  return cost
}

/** The cost of an incremental run after a function was added at the end of one file, which is put back each time. */
function edited(root, files) {
  const code = files.filter(isCode)
  const file = path.join(root, code[code.length >> 1])
  const original = fs.readFileSync(file)
  return repeat(() => {
    try {
      fs.appendFileSync(file, '\nfunction addedByTheBenchmark() {}\n')
      return incremental(root, '1 file indexed')
    } finally {
      fs.writeFileSync(file, original)
      incremental(root, '1 file indexed')
    }
  })
}

function hook(root, symbol) {
  const input = JSON.stringify({
    session_id: 'benchmark',
    hook_event_name: 'PreToolUse',
    tool_name: 'Grep',
    tool_input: { pattern: symbol },
    cwd: root,
  })
  const cost = mast(['hook', 'claude', 'search'], { input, cwd: root })
  if (!cost.stdout.includes('mast_search')) throw new Error(`the hook did not answer: ${cost.stdout}`)
  return cost
}

function commands(root, symbol) {
  const state = ['--root', root]
  return {
    search: repeat(() => mast(['search', symbol, '--json', ...state])),
    callers: repeat(() => mast(['query', 'mast_callers', JSON.stringify({ symbol }), '--json', ...state])),
    hook: repeat(() => hook(root, symbol)),
  }
}

/** Milliseconds from the start of a server to its first two answers, and the CPU it used until the second. */
async function start(root, symbol) {
  const initialized = []
  const answered = []
  let cpu = 0
  for (let run = 0; run < runs; run++) {
    const session = await Session.open(options.mast, root)
    await session.call('mast_search', { query: symbol })
    answered.push(performance.now() - session.started)
    initialized.push(session.initialized)
    const used = cpuSoFar(session.pid)
    cpu = used === null ? null : cpu + used
    await session.close()
  }
  // The mean, because the kernel counts in hundredths of a second.
  return { initialized: median(initialized), answered: median(answered), cpu: cpu === null ? null : cpu / runs }
}

/**
 * Latency of each tool in one server that has answered each question once before: a question's time is the median of its
 * runs, and median and p95 are those of the questions. CPU is the whole server's, per answer.
 */
async function warm(root, questions) {
  const session = await Session.open(options.mast, root, ['--no-watch'])
  try {
    const latencies = {}
    for (const [tool, list] of Object.entries(questions)) {
      for (const args of list) await session.call(tool, args)
      const times = list.map(() => [])
      const before = cpuSoFar(session.pid)
      for (let run = 0; run < runs; run++) {
        for (const [i, args] of list.entries()) times[i].push(await session.time(tool, args))
      }
      const after = cpuSoFar(session.pid)
      const ofQuestions = times.map(median)
      latencies[tool] = {
        questions: list.length,
        median: median(ofQuestions),
        p95: percentile(ofQuestions, 0.95),
        cpu: before === null ? null : ((after - before) * 1000) / (runs * list.length),
      }
    }
    return latencies
  } finally {
    await session.close()
  }
}

async function examine({ name, root }) {
  const { files, sourceBytes, cold, stateBytes } = index(root)
  const questions = await withSession(root, (session) => makeQuestions(session, files))
  const { symbol } = questions.mast_callers[0]
  return {
    name,
    files: files.length,
    sourceBytes,
    cold,
    stateBytes,
    unchanged: repeat(() => incremental(root, '0 files indexed')),
    edited: edited(root, files),
    commands: commands(root, symbol),
    start: await start(root, symbol),
    warm: await warm(root, questions),
  }
}

async function withSession(root, use) {
  const session = await Session.open(options.mast, root, ['--no-watch'])
  try {
    return await use(session)
  } finally {
    await session.close()
  }
}

const inMs = (seconds) => (seconds === null ? null : seconds * 1000)
const inMegabytes = (bytes) => (bytes === null ? null : bytes / megabyte)

function tables(results) {
  const names = results.map(({ name }) => name)
  const row = (label, value) => [label, ...results.map((result) => figure(value(result)))]
  const cost = (label, of) => [
    row(`${label}, CPU ms`, (r) => inMs(of(r).cpu)),
    row(`${label}, wall ms`, (r) => inMs(of(r).wall)),
  ]
  const latency = (tool) => [
    row(`${tool}, median ms`, (r) => r.warm[tool].median),
    row(`${tool}, p95 ms`, (r) => r.warm[tool].p95),
    row(`${tool}, CPU ms`, (r) => r.warm[tool].cpu),
  ]
  return {
    Index: [
      ['', ...names],
      ['files', ...results.map((r) => String(r.files))],
      row('source, MB', (r) => inMegabytes(r.sourceBytes)),
      row('cold, CPU s', (r) => r.cold.cpu),
      row('cold, wall s', (r) => r.cold.wall),
      row('cold, CPU s per source MB', (r) => (r.cold.cpu === null ? null : r.cold.cpu / inMegabytes(r.sourceBytes))),
      row('cold, peak memory MB', (r) => inMegabytes(r.cold.rss)),
      row('state / source', (r) => r.stateBytes / r.sourceBytes),
      ...cost('nothing changed', (r) => r.unchanged),
      ...cost('one edit', (r) => r.edited),
    ],
    'A process each': [
      ['', ...names],
      ...cost('mast search', (r) => r.commands.search),
      ...cost('mast query mast_callers', (r) => r.commands.callers),
      ...cost('mast hook claude search', (r) => r.commands.hook),
      row('serve: initialize answered, wall ms', (r) => r.start.initialized),
      row('serve: first tool answered, wall ms', (r) => r.start.answered),
      row('serve: until then, CPU ms', (r) => inMs(r.start.cpu)),
    ],
    'Inside one server': [['', ...names], ...Object.keys(results[0].warm).flatMap(latency)],
  }
}

const projects = listPackages(options.packages).map((entry) => ({
  name: entry.name,
  root: fetchPackage(entry, options.cache),
}))
const load = os.loadavg()[0]
const results = []
for (const project of projects) {
  process.stderr.write(`${project.name} …\n`)
  results.push(await examine(project))
}

const processors = os.cpus()
const machine = {
  processors: `${processors.length} × ${processors[0]?.model.trim() ?? os.arch()}`,
  memory: `${figure(os.totalmem() / 2 ** 30)} GiB`,
  system: `${os.type()} ${os.release()}, Node ${process.version}`,
  load: `${figure(load)} at the start, ${figure(os.loadavg()[0])} at the end`,
  runs,
}
for (const [label, value] of Object.entries(machine)) console.log(`${label}: ${value}`)
if (!hasUsage) console.log('CPU time and memory need python3')
for (const [title, table] of Object.entries(tables(results))) {
  console.log(`\n${title}\n\n${(options.markdown ? markdownTable : alignedTable)(table)}`)
}
if (options.json) fs.writeFileSync(options.json, `${JSON.stringify({ machine, results }, null, 2)}\n`)
