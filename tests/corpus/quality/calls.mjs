// Reads one call site: which declarations it calls, and which knowledge that takes.

import { APART, CORE, unwrap } from './names.mjs'

/** The rank of a name that means nothing outside of its function. */
const LOCAL = 1

/**
 * A site is `{ file, line, column, startLine, form, via, state, targets, accepted }`.
 *
 * `line` and `column` are those of the called name, from 1, in UTF-16 code units; `startLine` is where the expression
 * begins. `targets` are the keys of the declarations it calls, `accepted` those it may as well be listed under: what a
 * constant with a name of its own is an alias of. `state` is `resolved`, `outside` (declared in no indexed file) or
 * `unknown` (the compiler cannot tell).
 */
export function siteReader({ ts, checker, nameOf, relative }) {
  function read(node) {
    const called = calledName(node)
    if (!called) return undefined
    const source = node.getSourceFile()
    const { line, character } = source.getLineAndCharacterOfPosition(called.name.getStart())
    const startLine = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
    const place = { file: relative(source), line: line + 1, column: character + 1, startLine, form: called.form }
    const symbol = symbolAt(called.name)
    return { ...place, via: mechanism(called, symbol), ...calledBy(symbol) }
  }

  /** The name a call names, for every form of call; undefined for any other node, and where there is no name. */
  function calledName(node) {
    let callee
    let form = 'call'
    if (ts.isCallExpression(node)) callee = node.expression
    else if (ts.isNewExpression(node)) [callee, form] = [node.expression, 'new']
    else if (ts.isTaggedTemplateExpression(node)) [callee, form] = [node.tag, 'template']
    else if (ts.isDecorator(node)) [callee, form] = [node.expression, 'decorator']
    else if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
      const isTag = ts.isIdentifier(node.tagName) && /^[a-z]/.test(node.tagName.text)
      if (isTag || ts.isJsxNamespacedName(node.tagName)) return undefined
      ;[callee, form] = [node.tagName, 'jsx']
    } else return undefined
    callee = unwrap(ts, callee)
    if (form === 'decorator' && ts.isCallExpression(callee)) return undefined
    if (ts.isCallExpression(node) && ts.isDecorator(node.parent)) form = 'decorator'
    if (callee.kind === ts.SyntaxKind.SuperKeyword) return { name: callee, callee, form: 'super' }
    if (ts.isIdentifier(callee)) return { name: callee, callee, form }
    if (ts.isPropertyAccessExpression(callee)) return { name: callee.name, callee, form }
    const isNamed = ts.isElementAccessExpression(callee) && ts.isStringLiteralLike(callee.argumentExpression)
    return isNamed ? { name: callee.argumentExpression, callee, form } : undefined
  }

  function symbolAt(name) {
    const symbol =
      name.kind === ts.SyntaxKind.SuperKeyword ? checker.getTypeAtLocation(name).symbol : checker.getSymbolAtLocation(name)
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  }

  /**
   * The declarations a symbol stands for; the symbol of a union's member has those of every part. A local name gives way
   * to what it is another name of, where that is something one would ask about.
   */
  function calledBy(symbol) {
    const all = symbol?.declarations ?? []
    if (all.length === 0) return { state: 'unknown', targets: [], accepted: [] }
    let { keys, rank } = keysOf(all)
    const accepted = []
    const seen = new Set([symbol])
    for (let next = follow(symbol); next && !seen.has(next.symbol); next = follow(next.symbol)) {
      seen.add(next.symbol)
      const found = keysOf(next.symbol.declarations ?? [])
      if (next.isBinding && rank <= LOCAL && found.rank > rank) {
        accepted.push(...keys)
        ;({ keys, rank } = found)
      } else accepted.push(...found.keys)
    }
    const state = keys.length > 0 ? 'resolved' : all.every(isOutside) ? 'outside' : 'local'
    return { state, targets: keys, accepted: accepted.filter((key) => !keys.includes(key)) }
  }

  function keysOf(declarations) {
    const named = declarations.map(nameOf).filter((target) => target !== undefined)
    const ranks = named.map(({ kind }) => (CORE.includes(kind) ? LOCAL + 2 : APART.includes(kind) ? LOCAL + 1 : LOCAL))
    return { keys: [...new Set(named.map(({ key }) => key))], rank: Math.max(0, ...ranks) }
  }

  const isOutside = (node) => relative(node.getSourceFile()) === undefined

  /** What a constant, a destructured name or a property is an alias of. `isBinding`: a local name of the same value. */
  function follow(symbol) {
    const node = symbol.declarations?.[0]
    if (!node || symbol.declarations.length > 1) return undefined
    if (ts.isShorthandPropertyAssignment(node)) return to(checker.getShorthandAssignmentValueSymbol(node), false)
    if (ts.isVariableDeclaration(node) && node.initializer) {
      const isConst = (ts.getCombinedNodeFlags(node) & ts.NodeFlags.Const) !== 0
      return isConst ? to(reference(node.initializer), true) : undefined
    }
    if ((ts.isPropertyAssignment(node) || ts.isPropertyDeclaration(node)) && node.initializer) {
      return to(reference(node.initializer), false)
    }
    if (ts.isBindingElement(node) && ts.isObjectBindingPattern(node.parent) && !node.dotDotDotToken) {
      const name = node.propertyName ?? node.name
      if (!ts.isIdentifier(name) && !ts.isStringLiteral(name)) return undefined
      return to(checker.getTypeAtLocation(node.parent).getProperty(name.text), true)
    }
    return undefined
  }

  function reference(expression) {
    const value = unwrap(ts, expression)
    return ts.isIdentifier(value) || ts.isPropertyAccessExpression(value) ? symbolAt(value) : undefined
  }

  const to = (symbol, isBinding) => {
    if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol)
    return symbol && { symbol, isBinding }
  }

  /** What must be understood to resolve the call, in the words of the report. */
  function mechanism({ name, callee, form }, symbol) {
    if (form === 'super') return 'super'
    if (name === callee) return ofName(name, symbol)
    const receiver = unwrap(ts, callee.expression)
    if (receiver.kind === ts.SyntaxKind.SuperKeyword) return 'super'
    if (receiver.kind === ts.SyntaxKind.ThisKeyword) {
      const scope = ts.findAncestor(receiver, (node) => ts.isClassElement(node) || isFunctionWithThis(node))
      const owner = scope?.parent
      if (!owner || !ts.isClassLike(owner)) return '`this` by context'
      return symbol?.declarations?.some((node) => node.parent === owner) ? '`this`, own member' : '`this`, inherited'
    }
    if (ts.isNewExpression(receiver)) return 'made with `new`'
    if (ts.isCallExpression(receiver) || ts.isAwaitExpression(receiver)) return 'result of a call'
    if (ts.isPropertyAccessExpression(receiver)) {
      return receiver.expression.kind === ts.SyntaxKind.ThisKeyword ? '`this.field`' : 'chain of properties'
    }
    return ts.isIdentifier(receiver) ? ofReceiver(receiver) : 'other receiver'
  }

  const isFunctionWithThis = (node) => ts.isFunctionLike(node) && !ts.isArrowFunction(node)

  function ofName(name, symbol) {
    const local = checker.getSymbolAtLocation(name)
    const node = local?.declarations?.[0]
    if (!node) return 'unknown'
    if (local.flags & ts.SymbolFlags.Alias) {
      if (ts.isImportClause(node)) return 'default import'
      const module = ts.findAncestor(node, ts.isImportDeclaration)?.moduleSpecifier
      const direct = module && checker.getSymbolAtLocation(module)?.declarations?.[0]
      const isDirect = symbol?.declarations?.some((declared) => declared.getSourceFile() === direct)
      return isDirect ? 'named import' : 'import through a barrel'
    }
    if (ts.isBindingElement(node)) return 'destructured'
    if (ts.isVariableDeclaration(node) && node.initializer && reference(node.initializer)) return 'constant alias'
    return node.getSourceFile() === name.getSourceFile() ? 'same file' : 'global'
  }

  function ofReceiver(receiver) {
    const local = checker.getSymbolAtLocation(receiver)
    const node = local?.declarations?.[0]
    if (!node) return 'unknown'
    const { flags } = local.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(local) : local
    if (flags & ts.SymbolFlags.Module && !(flags & ts.SymbolFlags.Class)) return 'namespace'
    if (flags & ts.SymbolFlags.Class) return 'static member'
    if (ts.isBindingElement(node)) return 'destructured receiver'
    if (!ts.isVariableDeclaration(node) && !ts.isParameter(node)) return 'other receiver'
    if (node.type) return 'annotated receiver'
    if (!node.initializer) return ts.isParameter(node) ? 'callback parameter' : 'other receiver'
    const value = unwrap(ts, node.initializer)
    if (ts.isAsExpression(node.initializer)) return 'annotated receiver'
    if (ts.isNewExpression(value)) return 'made with `new`'
    if (ts.isObjectLiteralExpression(value)) return 'object literal'
    return ts.isCallExpression(value) || ts.isAwaitExpression(value) ? 'result of a call' : 'other receiver'
  }

  return { read }
}
