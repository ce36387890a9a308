#!/usr/bin/env node
// The quality benchmark: mast's answers beside those of the TypeScript compiler. See docs/quality.md.

import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openSession } from './client.mjs'
import { findings, report } from './report.mjs'
import { scoreAll } from './score.mjs'

const here = path.dirname(fileURLToPath(import.meta.url))
const pinned = JSON.parse(fs.readFileSync(path.join(here, 'packages.json'), 'utf8'))

const USAGE = `node run.mjs --mast <program> [options]

  --mast <program>      the mast to measure
  --packages <a,b>      packages of packages.json (default: all)
  --root <dir>          a source tree of your own instead
  --n <count>           ask about a sample of this many symbols, files and interfaces (default: 0, all)
  --seed <number>       another sample (default: 1)
  --dump <file>         write every wrong and every missed entry
  --checker <dir>       let mast ask this TypeScript (\`mast index --checker\`) before it is asked itself
  --typescript <dir>    a TypeScript package (default: ${pinned.typescript}, fetched once)
  --cache <dir>         where packages are kept (default: mast-quality in the user's cache directory)
  --markdown            tables as Markdown`

function options() {
  const text = { type: 'string' }
  const { values } = parseArgs({
    options: {
      mast: text,
      packages: text,
      root: text,
      n: { ...text, default: '0' },
      seed: { ...text, default: '1' },
      dump: text,
      checker: text,
      typescript: text,
      cache: { ...text, default: path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'mast-quality') },
      markdown: { type: 'boolean', default: false },
    },
  })
  if (!values.mast) throw new Error(`--mast is missing\n\n${USAGE}`)
  for (const name of ['n', 'seed']) {
    if (!/^\d+$/.test(values[name])) throw new Error(`--${name}: not a whole number: ${values[name]}`)
    values[name] = Number(values[name])
  }
  values.mast = values.mast.includes(path.sep) ? path.resolve(values.mast) : values.mast
  return values
}

/** Installs one exact version into the cache with npm and returns the folder of its `node_modules`. */
function install(cache, { name, version, integrity }) {
  const folder = path.join(cache, `${name.replace('/', '+')}@${version}`)
  const done = path.join(folder, 'complete')
  if (!fs.existsSync(done)) {
    fs.mkdirSync(folder, { recursive: true })
    const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error', '--ignore-scripts']
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm'
    const shell = process.platform === 'win32'
    const { status } = spawnSync(npm, ['install', '--prefix', folder, ...quiet, `${name}@${version}`], { stdio: ['ignore', 2, 2], shell })
    if (status !== 0) throw new Error(`npm could not install ${name}@${version}`)
    const lock = JSON.parse(fs.readFileSync(path.join(folder, 'node_modules/.package-lock.json'), 'utf8'))
    const got = lock.packages[`node_modules/${name}`].integrity
    if (got !== integrity) throw new Error(`${name}@${version} is another package than the pinned one: ${got}`)
    fs.writeFileSync(done, '')
  }
  return path.join(folder, 'node_modules')
}

/** The source of a package as a tree of its own, below the packages it depends on. */
function unpack(cache, wanted) {
  const modules = install(cache, wanted)
  const tree = path.join(modules, '..', 'tree')
  if (!fs.existsSync(tree)) {
    const from = path.join(modules, wanted.name)
    const fresh = `${tree}.${process.pid}`
    for (const part of [wanted.source, 'package.json', 'tsconfig.json']) {
      if (fs.existsSync(path.join(from, part))) fs.cpSync(path.join(from, part), path.join(fresh, part), { recursive: true })
    }
    fs.renameSync(fresh, tree)
  }
  return tree
}

/** Indexes a tree into a state directory of its own and scores it. */
async function measure({ mast, n, seed, checker }, typescript, name, tree) {
  const state = fs.mkdtempSync(path.join(os.tmpdir(), 'mast-quality-'))
  const place = ['--root', tree, '--state-dir', path.join(state, 'index')]
  const say = (what) => process.stderr.write(`${name}: ${what}\n`)
  try {
    say('index')
    execFileSync(mast, ['init', ...place], { stdio: ['ignore', 'ignore', 'inherit'] })
    if (checker) {
      const ask = ['index', '--incremental', '--checker', '--typescript', path.resolve(checker)]
      execFileSync(mast, [...ask, ...place], { stdio: ['ignore', 2, 'inherit'] })
    }
    const walk = execFileSync(mast, ['walk', '--files', '--json', ...place], { encoding: 'utf8', maxBuffer: 2 ** 28 })
    say('truth')
    const command = ['--stack-size=4000', '--max-old-space-size=4096', path.join(here, 'truth.mjs'), tree, typescript]
    const input = JSON.stringify(JSON.parse(walk).files)
    const truth = JSON.parse(execFileSync(process.execPath, command, { input, encoding: 'utf8', maxBuffer: 2 ** 30 }))
    say('questions')
    const session = await openSession([mast, 'serve', ...place, '--no-watch'])
    try {
      return { name, truth, result: await scoreAll(session, truth, { n, seed }) }
    } finally {
      await session.close()
    }
  } finally {
    fs.rmSync(state, { recursive: true, force: true })
  }
}

async function main() {
  const given = options()
  const typescript = given.typescript ?? path.join(install(given.cache, pinned.typescript), 'typescript')
  const trees = []
  if (given.root) trees.push([path.basename(path.resolve(given.root)), path.resolve(given.root)])
  else {
    const names = given.packages?.split(',') ?? pinned.packages.map(({ name }) => name)
    for (const name of names) {
      const wanted = pinned.packages.find((one) => one.name === name)
      if (!wanted) throw new Error(`packages.json has no ${name}`)
      trees.push([`${name} ${wanted.version}`, unpack(given.cache, wanted)])
    }
  }
  const measured = []
  for (const [name, tree] of trees) measured.push(await measure(given, typescript, name, tree))
  if (given.dump) fs.writeFileSync(given.dump, findings(measured))
  process.stdout.write(report(measured, given.markdown))
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
