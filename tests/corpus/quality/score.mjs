// Compares what mast answers with the truth. Pure functions: answers in, counts and findings out.

import { APART, CORE } from './names.mjs'

const LIMIT = 500

/** Looks things up in one truth. */
export function indexTruth(truth) {
  const byKey = new Map(truth.targets.map((target) => [keyOf(target), { ...target, sites: [] }]))
  const byPlace = new Map()
  const byLine = new Map()
  for (const site of truth.sites) {
    byPlace.set(`${site.file}:${site.line}:${site.column}`, site)
    for (const line of new Set([site.line, site.startLine])) {
      const at = `${site.file}:${line}`
      byLine.set(at, [...(byLine.get(at) ?? []), site])
    }
    for (const key of site.targets) byKey.get(key)?.sites.push(site)
  }
  const broken = new Set(truth.files.filter((file) => file.broken).map(({ file }) => file))
  return { truth, byKey, byPlace, byLine, broken }
}

const keyOf = ({ file, name }) => `${file}\0${name}`
const shown = (key) => key.replace('\0', ' ')

/** What is asked: every symbol that can be called; of the kinds reported apart, those that are. */
export function targetsToAsk(index, sample) {
  const all = [...index.byKey.values()].filter(
    ({ kind, sites }) => CORE.includes(kind) || (APART.includes(kind) && sites.length > 0),
  )
  return sampled(all, sample)
}

/** A fixed sample of `n` (0: all), in the order of the list. */
export function sampled(list, { n, seed }) {
  if (n === 0 || n >= list.length) return list
  let state = seed >>> 0
  // mulberry32, a 32-bit generator: the same seed gives the same sample on every machine.
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const order = list.map((_, at) => ({ at, rank: random() })).sort((a, b) => a.rank - b.rank || a.at - b.at)
  return order.slice(0, n).map(({ at }) => at).sort((a, b) => a - b).map((at) => list[at])
}

/**
 * Judges an answer of `mast_callers` about one target.
 *
 * A verified entry is `right`, `alias` (the target is what a constant that is called stands for: neither right nor
 * wrong), `unknown` (the compiler cannot resolve that call) or `wrong`. A site that is due is found by a right entry, or
 * by a potential match on its line. What a list was cut before is due from nobody.
 */
export function scoreCallers(index, target, answer) {
  const key = keyOf(target)
  const due = new Set(index.byKey.get(key).sites)
  const found = new Set()
  const entries = []
  const about = (answer.verified_callers ?? []).filter(
    ({ target: named }) => !named || (named.symbol === target.name && named.file_path === target.file),
  )
  const inexact = []
  for (const entry of about) {
    const site = index.byPlace.get(`${entry.file_path}:${entry.line}:${entry.column}`)
    if (!site) inexact.push(entry)
    else {
      if (due.has(site)) found.add(site)
      entries.push({ entry, ...judged(index, key, site) })
    }
  }
  for (const entry of inexact) {
    // Another column is forgiven only to an entry that means a call nobody else has named.
    const near = index.byLine.get(`${entry.file_path}:${entry.line}`) ?? []
    const site = near.find((one) => due.has(one) && !found.has(one))
    if (site) found.add(site)
    const isUnknown = index.broken.has(entry.file_path) || near.some(({ state }) => state === 'unknown')
    const verdict = site ? 'right' : isUnknown ? 'unknown' : 'wrong'
    entries.push({ entry, verdict, reason: site ? 'other column' : 'no call of it on this line' })
  }

  const potential = answer.potential_matches ?? []
  const mentioned = new Set(potential.map(({ file_path, line }) => `${file_path}:${line}`))
  const isCut = answer.verified_truncated === undefined ? () => false : isAfter(about.at(-1))
  // Calls are kept before other mentions: a cut list that shows one of those shows every call.
  const calls = potential.filter(({ reason }) => reason?.startsWith('a call '))
  const hasAllCalls = answer.potential_truncated === undefined || calls.length < potential.length
  const isCutPotential = hasAllCalls ? () => false : isAfter(potential.at(-1))
  const sites = []
  for (const site of due) {
    const verified = found.has(site)
    if (!verified && isCut(site)) continue
    const isMentioned = mentioned.has(`${site.file}:${site.line}`)
    sites.push({ site, verified, seen: verified || isMentioned || (isCutPotential(site) ? undefined : false) })
  }
  return { target, entries, sites, notFound: answer.symbol_not_found === true }
}

function judged(index, key, site) {
  if (site.targets.includes(key)) return { verdict: 'right' }
  if (site.accepted.includes(key)) return { verdict: 'alias' }
  if (site.state === 'unknown' || index.broken.has(site.file)) return { verdict: 'unknown' }
  if (site.state === 'resolved') return { verdict: 'wrong', reason: `calls ${site.targets.map(shown).join(', ')}` }
  const reason = site.state === 'outside' ? 'calls what no indexed file declares' : 'calls a local value'
  return { verdict: 'wrong', reason }
}

const isAfter = (last) => (site) =>
  last === undefined || site.file > last.file_path || (site.file === last.file_path && site.line > last.line)

/**
 * Judges an answer of `mast_dependencies`. An import that leads out of the tree, or that the compiler cannot find (a name
 * with a query for a bundler), is `outside`.
 */
export function scoreImports(file, answer) {
  const listed = answer.imports ?? []
  return file.imports.map((due) => {
    const same = listed.filter(
      ({ module, line }) => module === due.module && (line === due.line || line === due.moduleLine),
    )
    const resolved = same.map(({ resolved_path: to }) => to).filter((to) => to !== undefined)
    const got = resolved.includes(due.target) ? due.target : resolved[0]
    let verdict = 'missed'
    if (got !== undefined && got === due.target) verdict = 'right'
    else if (due.target === null && (got === undefined || !due.isKnown)) verdict = 'outside'
    else if (got !== undefined) verdict = 'wrong'
    return { file: file.file, ...due, got, verdict }
  })
}

/** Judges an answer of `mast_exports`. A name from outside the tree may be listed, or its `export *` may stand for it. */
export function scoreExports(file, answer) {
  const listed = new Set((answer.exports ?? []).map(({ name }) => name))
  listed.delete('*')
  listed.delete('export=')
  const names = Object.entries(file.exports)
  const due = names.filter(([, origin]) => origin !== 'outside')
  return {
    file: file.file,
    due: due.map(([name, origin]) => ({ name, origin, found: listed.has(name) })),
    wrong: [...listed].filter((name) => !Object.hasOwn(file.exports, name)),
    listed: listed.size,
  }
}

/** Judges an answer of `mast_implementors`. */
export function scoreImplementors(due, answer) {
  const named = ({ file, name }) => `${file} ${name}`
  const wanted = new Set(due.classes.map(named))
  const got = new Set(
    (answer.results ?? [])
      .filter(({ interface_file: of }) => of === undefined || of === due.file)
      .map(({ file_path: file, class_name: name }) => named({ file, name })),
  )
  const missed = [...wanted].filter((one) => !got.has(one))
  const wrong = [...got].filter((one) => !wanted.has(one))
  return { file: due.file, name: due.name, right: wanted.size - missed.length, missed, wrong }
}

/** Asks a session about everything, or about a sample, and judges each answer. */
export async function scoreAll(session, truth, sample) {
  const index = indexTruth(truth)
  const result = { callers: [], imports: [], exports: [], implementors: [] }
  for (const target of targetsToAsk(index, sample)) {
    const args = { symbol: target.name, file_path: target.file, limit: LIMIT }
    result.callers.push(scoreCallers(index, target, await session.call('mast_callers', args)))
  }
  for (const file of sampled(truth.files, sample)) {
    const args = { file_path: file.file }
    const dependencies = await session.call('mast_dependencies', args)
    if (dependencies.imports_truncated === undefined) result.imports.push(...scoreImports(file, dependencies))
    const exports = await session.call('mast_exports', { ...args, limit: LIMIT })
    if (exports.exports_truncated === undefined) result.exports.push(scoreExports(file, exports))
  }
  for (const due of sampled(truth.interfaces, sample)) {
    const args = { interface_name: due.name, file_path: due.file, limit: LIMIT }
    result.implementors.push(scoreImplementors(due, await session.call('mast_implementors', args)))
  }
  return result
}
