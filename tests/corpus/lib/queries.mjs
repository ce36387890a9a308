// Known-item queries: each is made from one declaration, and that declaration is the only right answer.

import { declarations, firstSentence, nameWords } from './declarations.mjs'
import { sample } from './random.mjs'

/** The kinds of query, in the order they are reported. */
export const KINDS = {
  exact: 'the name as it is written',
  lower: 'a name of one word, in lower case',
  words: "a name's words apart, in lower case",
  prefix: 'the first two words of a name of three or more, which no other name begins with',
  doc: 'the first sentence of a doc comment',
}

/**
 * Queries from sources given as `{ path, text }`: for each kind a list of `{ query, path, name, lines }`, at most `count` of
 * them, chosen by the seed. Only main declarations are asked for, and only when nothing else has the name, whatever the
 * case, not even a variable of a function; `lines` are its places in its file (overloads have several). A query that would
 * fit a second name or comment is left out.
 */
export function makeQueries(sources, { count, seed }) {
  const items = uniqueItems(sources)
  const candidates = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, ofKind(kind, items)]))
  return Object.fromEntries(
    Object.entries(candidates).map(([kind, list], index) => [kind, sample(list, count, seed + index)]),
  )
}

/** One item for each name, whatever its case; `single` tells that it is one main declaration with its overloads. */
function uniqueItems(sources) {
  const byName = new Map()
  for (const { path, text } of sources) {
    for (const { name, line, doc, main } of declarations(text)) {
      const key = name.toLowerCase()
      const item = byName.get(key) ?? { name, path, lines: [], docs: [], single: true }
      byName.set(key, item)
      item.single &&= item.path === path && item.name === name && main
      item.lines.push(line)
      if (doc) item.docs.push(doc)
    }
  }
  return [...byName.values()]
}

function ofKind(kind, items) {
  const asked = new Map()
  for (const item of items) {
    for (const query of new Set(queriesOf(kind, item))) {
      const key = query.toLowerCase()
      asked.set(key, [...(asked.get(key) ?? []), { query, item }])
    }
  }
  return [...asked.values()]
    .filter((list) => list.length === 1 && list[0].item.single)
    .map(([{ query, item }]) => ({ query, path: item.path, name: item.name, lines: item.lines }))
    .filter(({ query, name }) => kind !== 'prefix' || isOnlyContinuation(query, name, items))
}

function queriesOf(kind, { name, docs }) {
  const words = nameWords(name)
  switch (kind) {
    case 'exact':
      return [name]
    case 'lower':
      return words.length === 1 && /^[A-Za-z]{3,}$/.test(name) ? [name.toLowerCase()] : []
    case 'words':
      return words.length >= 2 ? [words.map(({ text }) => text.toLowerCase()).join(' ')] : []
    case 'prefix':
      return words.length >= 3 ? [name.slice(0, words[1].end)] : []
    case 'doc':
      return docs.map(firstSentence).filter((sentence) => sentence !== null)
    default:
      throw new Error(`no kind ${kind}`)
  }
}

function isOnlyContinuation(prefix, name, items) {
  const start = prefix.toLowerCase()
  return items.every((item) => item.name === name || !item.name.toLowerCase().startsWith(start))
}

/**
 * The place of the right answer among the results of `mast_search`, from 1; 0 when it is not there. A result is right when
 * it is in the file and has the name, or shows the declaration's line: a long declaration is returned by its best part.
 */
export function rankOf(results, { path, name, lines }) {
  const right = (result) =>
    result.file_path === path &&
    (result.symbol_name === name || lines.some((line) => result.start_line <= line && line <= result.end_line))
  return results.findIndex(right) + 1
}
