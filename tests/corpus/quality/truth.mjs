// What the TypeScript compiler says about a tree: who calls whom, who implements what, where imports lead and what
// files export. One Program over exactly the files that mast indexes.
//
// node truth.mjs <root> <typescript package> < JSON list of files > JSON

import fs from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { siteReader } from './calls.mjs'
import { namer } from './names.mjs'
import { moduleResolver } from './resolve.mjs'

const SOURCE = /\.[cm]?[jt]sx?$/

/**
 * The truth about `files` (relative to `root`). Every list is in the order of the files and of their text, so the same
 * tree gives the same bytes.
 */
export function buildTruth({ ts, root, files }) {
  root = fs.realpathSync(root)
  const absolute = files.filter((file) => SOURCE.test(file)).map((file) => path.join(root, file))
  const options = {
    allowJs: true,
    checkJs: false,
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    jsx: ts.JsxEmit.Preserve,
    experimentalDecorators: true,
    target: ts.ScriptTarget.ESNext,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    // Scripts of one tree must not see each other's names.
    moduleDetection: ts.ModuleDetectionKind.Force,
    types: [],
  }
  const resolve = moduleResolver(ts, root, absolute, options)
  const host = ts.createCompilerHost(options, true)
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => ({ resolvedModule: resolve(text, from) }))
  const { roots, leftOut } = withoutShadows(ts, absolute, resolve)
  const program = ts.createProgram({ rootNames: roots, options, host })
  const checker = program.getTypeChecker()

  const indexed = new Map(absolute.map((file) => [file, path.relative(root, file).split(path.sep).join('/')]))
  const relative = (source) => indexed.get(source.fileName)
  const nameOf = namer(ts, relative)
  const sources = roots.map((file) => program.getSourceFile(file)).filter((source) => source !== undefined)

  const targets = new Map()
  const truth = { files: [], targets: [], sites: [], interfaces: [], leftOut: leftOut.map((file) => indexed.get(file)) }
  const sitesOf = siteReader({ ts, checker, nameOf, relative })
  const heritage = new Map()
  for (const source of sources) {
    const file = relative(source)
    const entry = { file, broken: program.getSyntacticDiagnostics(source).length > 0, imports: [], exports: undefined }
    truth.files.push(entry)
    eachNode(ts, source, (node) => {
      const target = nameOf(node)
      if (target) addTarget(targets, target)
      const found = sitesOf.read(node)
      if (found) truth.sites.push(found)
      const module = moduleOf(ts, node)
      if (module) entry.imports.push(importOf(ts, source, module, resolve, indexed))
      if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) readHeritage(ts, checker, node, heritage)
    })
    entry.exports = exportsOf(ts, checker, source, relative)
  }
  truth.targets = [...targets.values()]
  truth.interfaces = implementors(ts, heritage, relative)
  return truth
}

/**
 * The files without those scripts whose `declare module` would hide a module of the tree itself: in one Program they
 * replace it, and everything that imports it would lose its types.
 */
function withoutShadows(ts, files, resolve) {
  const leftOut = files.filter((file) => {
    if (!file.endsWith('.d.ts')) return false
    const source = ts.createSourceFile(file, fs.readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, false)
    if (ts.isExternalModule(source)) return false
    return source.statements.some((statement) => {
      if (!ts.isModuleDeclaration(statement) || !ts.isStringLiteral(statement.name)) return false
      const found = resolve(statement.name.text, file)
      return found !== undefined && files.includes(found.resolvedFileName)
    })
  })
  return { roots: files.filter((file) => !leftOut.includes(file)), leftOut }
}

/** Visits every node in the order of the text, without recursion: sources nest deeper than stacks. */
function eachNode(ts, source, visit) {
  const stack = [source]
  while (stack.length > 0) {
    const node = stack.pop()
    visit(node)
    const children = []
    ts.forEachChild(node, (child) => {
      children.push(child)
    })
    for (const child of children.reverse()) stack.push(child)
  }
}

function addTarget(targets, { key, file, name, kind, line }) {
  const known = targets.get(key)
  if (known) {
    known.lines.push(line)
    // The overloads of a function, an interface beside a constant: one name, and what can be called decides.
    if (known.kind === 'value') known.kind = kind
  } else {
    targets.set(key, { file, name, kind, lines: [line] })
  }
}

function moduleOf(ts, node) {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isExternalModuleReference(node)) return node.expression
  if (!ts.isCallExpression(node) || node.arguments.length === 0) return undefined
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require' && node.arguments.length === 1
  return isRequire || node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments[0] : undefined
}

/** One import: where it leads among the indexed files, or null; `isKnown` when the compiler finds it anywhere. */
function importOf(ts, source, module, resolve, indexed) {
  const text = module.text ?? ''
  const found = text && resolve(text, source.fileName)
  const statement = module.parent
  const line = source.getLineAndCharacterOfPosition(statement.getStart()).line + 1
  const moduleLine = source.getLineAndCharacterOfPosition(module.getStart()).line + 1
  const reExport = ts.isExportDeclaration(statement)
  const target = (found && indexed.get(found.resolvedFileName)) ?? null
  return { module: text, line, moduleLine, reExport, target, isKnown: Boolean(found) }
}

/**
 * The names a file exports, each with where it comes from: `own`, `re-export`, `star` (passed on by `export *`), or
 * `outside` when `export *` passes it on from what is not indexed.
 */
function exportsOf(ts, checker, source, relative) {
  const module = source.symbol
  const names = {}
  if (!module?.exports) return names
  for (const symbol of checker.getExportsOfModule(module)) {
    const name = ts.unescapeLeadingUnderscores(symbol.escapedName)
    // `export =` has no name that others import.
    if (name === 'export=') continue
    // The compiler lets JavaScript import what a comment defines; nobody would call that an export.
    if (symbol.declarations?.every((node) => ts.findAncestor(node, ts.isJSDoc) !== undefined)) continue
    if (module.exports.get(symbol.escapedName) === symbol) {
      const specifier = symbol.declarations?.find((node) => ts.isExportSpecifier(node) || ts.isNamespaceExport(node))
      const statement = specifier && ts.findAncestor(specifier, ts.isExportDeclaration)
      names[name] = statement?.moduleSpecifier ? 're-export' : 'own'
    } else {
      const isIndexed = symbol.declarations?.some((node) => relative(node.getSourceFile()) !== undefined)
      names[name] = isIndexed ? 'star' : 'outside'
    }
  }
  return names
}

function readHeritage(ts, checker, node, heritage) {
  const parents = []
  for (const clause of node.heritageClauses ?? []) {
    for (const { expression } of clause.types) {
      let symbol = checker.getSymbolAtLocation(expression)
      if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol)
      for (const parent of symbol?.declarations ?? []) {
        if (ts.isClassLike(parent) || ts.isInterfaceDeclaration(parent)) parents.push(parent)
        else if (ts.isVariableDeclaration(parent) && parent.initializer && ts.isClassExpression(parent.initializer)) {
          parents.push(parent.initializer)
        }
      }
    }
  }
  heritage.set(node, parents)
}

/** For every interface and class of the tree with a name, the classes below it. */
function implementors(ts, heritage, relative) {
  const below = new Map()
  const named = (node) => node.name ?? (ts.isVariableDeclaration(node.parent) ? node.parent.name : undefined)
  const keyOf = (node) => {
    const file = relative(node.getSourceFile())
    const name = named(node)
    return file === undefined || !name ? undefined : `${file}\0${name.text}`
  }
  for (const node of heritage.keys()) {
    const key = keyOf(node)
    if (key && !below.has(key)) below.set(key, new Map())
    if (!key || !ts.isClassLike(node)) continue
    const seen = new Set([node])
    const queue = [...heritage.get(node)]
    while (queue.length > 0) {
      const parent = queue.shift()
      if (seen.has(parent)) continue
      seen.add(parent)
      queue.push(...(heritage.get(parent) ?? []))
      const parentKey = keyOf(parent)
      if (!parentKey || parentKey === key) continue
      if (!below.has(parentKey)) below.set(parentKey, new Map())
      below.get(parentKey).set(key, true)
    }
  }
  const split = (key) => ({ file: key.split('\0')[0], name: key.split('\0')[1] })
  return [...below].map(([key, classes]) => ({ ...split(key), classes: [...classes.keys()].map(split) }))
}

/** Loads the TypeScript package in a directory. */
export function loadTypeScript(directory) {
  return createRequire(path.join(path.resolve(directory), 'package.json'))(path.resolve(directory))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [root, directory] = process.argv.slice(2)
  const files = JSON.parse(fs.readFileSync(0, 'utf8'))
  process.stdout.write(JSON.stringify(buildTruth({ ts: loadTypeScript(directory), root, files })))
}
