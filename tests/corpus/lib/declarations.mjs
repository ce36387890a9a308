// A simple parse of top-level declarations, independent of the indexer that is judged by it.

const NAME = '([A-Za-z_$][\\w$]*)'
const PREFIX = '(?:export\\s+)?(?:default\\s+)?(?:declare\\s+)?(?:abstract\\s+)?'
const KEYWORD = '(?:async\\s+)?(?:function\\s*\\*?|class|interface|(?:const\\s+)?enum)'
const DECLARATION = new RegExp(`^${PREFIX}${KEYWORD}\\s+${NAME}`)
const TYPE = new RegExp(`^${PREFIX}type\\s+${NAME}\\s*[<=]`)
const ARROW = `(?:<[^>]*>\\s*)?\\([^)]*\\)[^=]*=>|${NAME}\\s*=>`
const FUNCTION_VALUE = new RegExp(
  `^${PREFIX}(?:const|let|var)\\s+${NAME}[^=]*=\\s*(?:async\\s*)?(?:function\\b|${ARROW})`,
)

const VARIABLE = new RegExp(`^${PREFIX}(?:const|let|var)\\s+${NAME}`)

/**
 * The declarations that begin a line of a TypeScript or JavaScript file: `{ name, line, doc, main }`. Lines count from 1;
 * `doc` is the text of the doc comment directly above, or null; `main` tells the functions, classes, interfaces, types and
 * enums from other variables and from what is indented, most of which is local. What stands in block comments is passed
 * over; code inside a template literal is not told from real code.
 */
export function declarations(source) {
  const found = []
  let comment = null // the lines of the block comment we are in
  let doc = null
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    const text = line.trim()
    if (comment) {
      comment.push(text)
      if (text.includes('*/')) {
        doc = comment[0].startsWith('/**') ? docText(comment) : null
        comment = null
      }
      continue
    }
    if (text.startsWith('/*')) {
      if (text.includes('*/')) doc = text.startsWith('/**') ? docText([text]) : null
      else comment = [text]
      continue
    }
    const wanted = DECLARATION.exec(text) ?? TYPE.exec(text) ?? FUNCTION_VALUE.exec(text)
    const match = wanted ?? VARIABLE.exec(text)
    if (match) found.push({ name: match[1], line: index + 1, doc, main: wanted !== null && !/^\s/.test(line) })
    if (!text.startsWith('@')) doc = null // a decorator may stand between
  }
  return found
}

function docText(lines) {
  return lines
    .join('\n')
    .replace(/^\/\*+/, '')
    .replace(/\*\/.*$/s, '')
    .split('\n')
    .map((line) => line.replace(/^\*+ ?/, '').trim())
    .join('\n')
    .trim()
}

/** The first sentence of a doc comment as plain words, or null when it has fewer than four. */
export function firstSentence(doc) {
  const prose = doc
    .split(/\n\s*\n|^@|\n@|^```|\n```/m)[0]
    .replace(/\{@\w+\s+([^\s}|]+)(?:[\s|]+([^}]*))?\}/g, (_, target, text) => text || target)
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim()
  const sentence = /^(.*?[.!?])(?:\s|$)/.exec(prose)?.[1] ?? prose
  return sentence.split(' ').length >= 4 ? sentence : null
}

/** The words of a name as they are written, with their places: `parseHTTPHeader` has `parse`, `HTTP` and `Header`. */
export function nameWords(name) {
  const words = name.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)
  return [...words].map(({ 0: text, index }) => ({ text, end: index + text.length }))
}
