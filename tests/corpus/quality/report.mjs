// Turns scores into tables and lists.

import { APART, CORE } from './names.mjs'

/** The tables of a run: one row per tree, then what the calls of all trees depend on. */
export function report(measured, markdown) {
  const all = measured.flatMap(({ result }) => result.callers)
  const core = all.filter(({ target }) => CORE.includes(target.kind))
  const rows = measured.map(({ name, truth, result }) => treeRow(name, truth, result))
  const parts = [
    table(
      ['tree', 'files', 'symbols', 'verified', 'wrong', 'precision', 'sites', 'recall', 'with potential', 'imports', 'exports', 're-exports', '`export *`', 'wrong exports', 'implementors'],
      rows,
    ),
    table(['callee', 'symbols', 'wrong', 'sites', 'recall', 'with potential'], [...CORE, ...APART].map((kind) => kindRow(all, kind))),
    table(['way to the callee', 'sites', 'share', 'recall', 'with potential'], siteRows(core, ({ via }) => via)),
    table(['form', 'sites', 'share', 'recall', 'with potential'], siteRows(core, ({ form }) => form)),
    table(['proof', 'verified', 'wrong', 'precision'], proofRows(core)),
  ]
  return `${parts.map((lines) => render(lines, markdown)).join('\n')}\n`
}

const table = (head, rows) => [head, ...rows.filter((row) => row !== undefined)]

function treeRow(name, truth, result) {
  const callers = result.callers.filter(({ target }) => CORE.includes(target.kind))
  const { right, wrong, sites, verified, seen, judged } = count(callers)
  const imports = result.imports.filter(({ target }) => target !== null)
  const due = (origin) => result.exports.flatMap((file) => file.due).filter((one) => one.origin === origin)
  const share = (list) => ratio(list.filter(({ found }) => found).length, list.length)
  const wanted = sum(result.implementors, (one) => one.right + one.missed.length)
  return [
    name,
    truth.files.length,
    callers.length,
    right + wrong,
    wrong,
    ratio(right, right + wrong),
    sites,
    ratio(verified, sites),
    ratio(seen, judged),
    ratio(imports.filter(({ verdict }) => verdict === 'right').length, imports.length),
    share(due('own')),
    share(due('re-export')),
    share(due('star')),
    sum(result.exports, ({ wrong: names }) => names.length),
    wanted === 0 ? '–' : `${ratio(sum(result.implementors, ({ right: got }) => got), wanted)} of ${wanted}`,
  ]
}

function count(callers) {
  const entries = callers.flatMap((one) => one.entries)
  const sites = callers.flatMap((one) => one.sites)
  const judged = sites.filter(({ seen }) => seen !== undefined)
  return {
    right: entries.filter(({ verdict }) => verdict === 'right').length,
    wrong: entries.filter(({ verdict }) => verdict === 'wrong').length,
    sites: sites.length,
    verified: sites.filter(({ verified }) => verified).length,
    seen: judged.filter(({ seen }) => seen).length,
    judged: judged.length,
  }
}

function kindRow(all, kind) {
  const callers = all.filter(({ target }) => target.kind === kind)
  if (callers.length === 0) return undefined
  const { wrong, sites, verified, seen, judged } = count(callers)
  return [kind, callers.length, wrong, sites, ratio(verified, sites), ratio(seen, judged)]
}

function siteRows(callers, group) {
  const groups = new Map()
  for (const site of callers.flatMap((one) => one.sites)) {
    const name = group(site.site)
    groups.set(name, [...(groups.get(name) ?? []), site])
  }
  const total = sum([...groups.values()], (sites) => sites.length)
  return [...groups]
    .sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
    .map(([name, sites]) => {
      const { verified, seen, judged } = count([{ entries: [], sites }])
      return [name, sites.length, ratio(sites.length, total), ratio(verified, sites.length), ratio(seen, judged)]
    })
}

function proofRows(callers) {
  const groups = new Map()
  for (const one of callers.flatMap(({ entries }) => entries)) {
    const name = one.entry.resolution
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  return [...groups]
    .sort((a, b) => b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1))
    .map(([name, entries]) => {
      const { right, wrong } = count([{ entries, sites: [] }])
      return [name, right + wrong, wrong, ratio(right, right + wrong)]
    })
}

/** Everything that is wrong or missing, one line each. */
export function findings(measured) {
  const lines = []
  for (const { name, truth, result } of measured) {
    const say = (what, text) => lines.push(`${name}\t${what}\t${text}`)
    for (const file of truth.leftOut) say('left out of the truth', file)
    for (const { target, entries, sites, notFound } of result.callers) {
      const asked = `${target.file} ${target.name} (${target.kind})`
      for (const { entry, verdict, reason } of entries) {
        const place = `${entry.file_path}:${entry.line}:${entry.column}`
        if (verdict !== 'right') say(`${verdict} caller`, `${asked}\t${place}\t${entry.resolution}\t${reason ?? ''}\t${entry.context}`)
      }
      if (notFound) say('unknown symbol', asked)
      for (const { site, verified, seen } of sites) {
        if (!verified) say(seen ? 'potential only' : 'missed caller', `${asked}\t${site.file}:${site.line}:${site.column}\t${site.form}\t${site.via}`)
      }
    }
    for (const one of result.imports) {
      if (one.verdict === 'wrong' || one.verdict === 'missed') {
        say(`${one.verdict} import`, `${one.file}:${one.line}\t${one.module}\t${one.got ?? '-'}\t${one.target ?? '-'}`)
      }
    }
    for (const one of result.exports) {
      for (const wrong of one.wrong) say('wrong export', `${one.file}\t${wrong}`)
      for (const { name: missed, found } of one.due) if (!found) say('missed export', `${one.file}\t${missed}`)
    }
    for (const one of result.implementors) {
      for (const wrong of one.wrong) say('wrong implementor', `${one.file} ${one.name}\t${wrong}`)
      for (const missed of one.missed) say('missed implementor', `${one.file} ${one.name}\t${missed}`)
    }
  }
  return lines.map((line) => `${line}\n`).join('')
}

function sum(list, value) {
  return list.reduce((total, one) => total + value(one), 0)
}

/** Rounded down, so that 100 % means all. */
function ratio(part, whole) {
  return whole === 0 ? '–' : `${(Math.floor((part / whole) * 1000) / 10).toFixed(1)} %`
}

function render([head, ...rows], markdown) {
  if (markdown) {
    const line = (cells) => `| ${cells.join(' | ')} |\n`
    return line(head) + line(head.map((_, at) => (at === 0 ? '---' : '--:'))) + rows.map(line).join('')
  }
  const widths = head.map((title, at) => Math.max(...[title, ...rows.map((row) => row[at])].map((cell) => `${cell}`.length)))
  const line = (cells) =>
    `${cells.map((cell, at) => (at === 0 ? `${cell}`.padEnd(widths[at]) : `${cell}`.padStart(widths[at]))).join('  ')}\n`
  return line(head) + rows.map(line).join('')
}
