// Names declarations as an index does: the file, the name qualified by what encloses it, and what kind of thing it is.

/** The kinds of targets, in the order of the report. Those of `APART` are scored as well, but not in the headline. */
export const CORE = ['function', 'class', 'method', 'arrow field', 'object member', 'interface method']
export const APART = ['function-typed member', 'value', 'nested']

/** A namer for one tree; `relative` turns a source file into its path in the tree, or undefined outside of it. */
export function namer(ts, relative) {
  /** Strips what a value may be wrapped in without becoming another value. */
  function bare(node) {
    while (
      node &&
      (ts.isParenthesizedExpression(node) ||
        ts.isNonNullExpression(node) ||
        ts.isAsExpression(node) ||
        ts.isSatisfiesExpression(node) ||
        ts.isTypeAssertionExpression(node))
    ) {
      node = node.expression
    }
    return node
  }

  const isFunction = (node) => node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node))

  function ownName(node) {
    if (ts.isConstructorDeclaration(node)) return 'constructor'
    if (ts.isExportAssignment(node)) return stem(node)
    if (!node.name) {
      const isDefault = ts.canHaveModifiers(node) && (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Default) !== 0
      return isDefault ? stem(node) : undefined
    }
    const { name } = node
    return ts.isIdentifier(name) || ts.isPrivateIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)
      ? name.text
      : undefined
  }

  const stem = (node) => node.getSourceFile().fileName.replace(/^.*\//, '').replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '')

  function kindOf(node) {
    if (ts.isFunctionDeclaration(node)) return 'function'
    if (ts.isClassLike(node)) return 'class'
    if (ts.isVariableDeclaration(node)) {
      const value = bare(node.initializer)
      if (isFunction(value)) return 'function'
      return value && ts.isClassExpression(value) ? 'class' : 'value'
    }
    if (ts.isMethodDeclaration(node)) return ts.isClassLike(node.parent) ? 'method' : 'object member'
    if (ts.isMethodSignature(node)) return 'interface method'
    if (ts.isPropertyDeclaration(node)) return isFunction(bare(node.initializer)) ? 'arrow field' : 'value'
    if (ts.isPropertyAssignment(node)) return isFunction(bare(node.initializer)) ? 'object member' : 'value'
    if (ts.isPropertySignature(node)) {
      return node.type && ts.isFunctionTypeNode(node.type) ? 'function-typed member' : 'value'
    }
    if (ts.isBindingElement(node) || ts.isShorthandPropertyAssignment(node) || ts.isExportAssignment(node)) return 'value'
    return ts.isGetAccessorDeclaration(node) ? 'value' : undefined
  }

  /** The target a declaration is; undefined for a parameter, a type, or what has no name others could ask for. */
  return function nameOf(node) {
    const file = relative(node.getSourceFile())
    let kind = kindOf(node)
    if (file === undefined || kind === undefined) return undefined
    const parts = [ownName(node)]
    let nested = false
    for (let child = node, at = node.parent; at; child = at, at = at.parent) {
      if (ts.isSourceFile(at)) break
      if (ts.isModuleDeclaration(at)) {
        if (ts.isIdentifier(at.name) && !ts.isGlobalScopeAugmentation(at)) parts.unshift(at.name.text)
      } else if (ts.isClassLike(at) || ts.isInterfaceDeclaration(at) || ts.isTypeAliasDeclaration(at)) {
        if (!(ts.isClassExpression(at) && ts.isVariableDeclaration(at.parent))) parts.unshift(ownName(at))
      } else if (ts.isFunctionLike(at)) {
        nested = true
        if (!isFunction(at)) parts.unshift(ownName(at))
      } else if (ts.isParameter(at)) {
        return undefined
      } else if (ts.isVariableDeclaration(at)) {
        if (child !== at.name) parts.unshift(ownName(at))
      } else if (ts.isPropertyAssignment(at) || ts.isPropertyDeclaration(at) || ts.isPropertySignature(at)) {
        parts.unshift(ownName(at))
      } else if (ts.isObjectLiteralExpression(at)) {
        if (!isBound(at)) return undefined
      } else if (ts.isTypeLiteralNode(at)) {
        if (!ts.isTypeAliasDeclaration(at.parent) && !ts.isPropertySignature(at.parent)) return undefined
      }
    }
    if (parts.includes(undefined)) return undefined
    if (nested) kind = kind === 'value' ? 'local value' : 'nested'
    const name = parts.join('.')
    const at = node.name ?? node
    const line = node.getSourceFile().getLineAndCharacterOfPosition(at.getStart()).line + 1
    return { key: `${file}\0${name}`, file, name, kind, line }
  }

  /** Whether an object literal is the value of a variable or property, and so lends its members a name. */
  function isBound(literal) {
    let at = literal.parent
    while (at && bare(at) !== at && bare(at) === literal) at = at.parent
    return ts.isVariableDeclaration(at) || ts.isPropertyAssignment(at) || ts.isPropertyDeclaration(at)
  }
}

/** Strips parentheses, casts and assertions. */
export function unwrap(ts, node) {
  return ts.skipOuterExpressions(node, ts.OuterExpressionKinds.All)
}
