// Which file a module specifier means, for the TypeScript compiler: what it finds itself through relative paths and
// the `paths` of the nearest tsconfig, then the packages of the tree itself, mapped from what they build to what they are
// built from. Installed packages come last: their types help inference, but they are never a target.

import fs from 'node:fs'
import path from 'node:path'

const SUFFIXES = ['.ts', '.tsx', '.d.ts', '.js', '.jsx', '/index.ts', '/index.tsx', '/index.d.ts', '/index.js']
const BUILT = /^(?:dist|lib|build|out|esm|cjs)(?:\/(?:esm|cjs|types|src))?\//
const SCRIPT = /(?:\.d)?\.[cm]?[jt]sx?$/

/** A resolver over the files of one tree; `files` are absolute. */
export function moduleResolver(ts, root, files, base) {
  const indexed = new Set(files)
  const packages = readPackages(root, files)
  const optionsOf = nearestOptions(ts, root, base)
  const cache = ts.createModuleResolutionCache(root, (name) => name, base)
  const known = new Map()

  function lookUp(specifier, from) {
    const options = optionsOf(path.dirname(from))
    const sameOptions = options === base ? cache : undefined
    const { resolvedModule: found } = ts.resolveModuleName(specifier, from, options, ts.sys, sameOptions)
    if (found && indexed.has(found.resolvedFileName)) return found
    const source = specifier.startsWith('.') ? undefined : fromPackages(specifier, from)
    if (!source) return found
    return { resolvedFileName: source, extension: source.match(SCRIPT)[0], isExternalLibraryImport: false }
  }

  function fromPackages(specifier, from) {
    if (specifier.startsWith('#')) {
      const owner = packages.find(({ directory }) => from.startsWith(directory + path.sep))
      return owner && fromTargets(owner, mapped(owner.manifest.imports, specifier))
    }
    for (const owner of packages) {
      const { name } = owner.manifest
      if (specifier !== name && !specifier.startsWith(`${name}/`)) continue
      const subpath = `.${specifier.slice(name.length)}`
      const { exports, types, typings, module, main } = owner.manifest
      const rooted = typeof exports === 'string' || Object.keys(exports ?? {}).some((key) => !key.startsWith('.'))
      const targets = mapped(rooted ? { '.': exports } : exports, subpath)
      if (subpath === '.') targets.push(types, typings, module, main, 'index', 'src/index')
      else targets.push(subpath, `src/${subpath}`)
      const source = fromTargets(owner, targets)
      if (source) return source
    }
    return undefined
  }

  function fromTargets({ directory }, targets) {
    for (const target of targets) {
      if (typeof target !== 'string') continue
      const plain = path.posix.normalize(target)
      const stem = plain.replace(SCRIPT, '')
      const places = [plain, stem, stem.replace(BUILT, ''), stem.replace(BUILT, 'src/')]
      for (const place of places) {
        for (const suffix of ['', ...SUFFIXES]) {
          const candidate = path.join(directory, place + suffix)
          if (indexed.has(candidate) && SCRIPT.test(candidate)) return candidate
        }
      }
    }
    return undefined
  }

  return (specifier, from) => {
    const key = `${path.dirname(from)}\0${specifier}`
    if (!known.has(key)) known.set(key, lookUp(specifier, from))
    return known.get(key)
  }
}

/** The packages whose package.json lies beside or above an indexed file, the deepest first. */
function readPackages(root, files) {
  const directories = new Set()
  for (const file of files) {
    for (let at = path.dirname(file); at.length >= root.length && !directories.has(at); at = path.dirname(at)) {
      directories.add(at)
    }
  }
  const packages = []
  for (const directory of directories) {
    try {
      const manifest = JSON.parse(fs.readFileSync(path.join(directory, 'package.json'), 'utf8'))
      packages.push({ directory, manifest })
    } catch {
      // No package here, or one that npm could not read either.
    }
  }
  return packages.sort((a, b) => b.directory.length - a.directory.length || (a.directory < b.directory ? -1 : 1))
}

/** The compiler options of a directory: our own, with `paths` and `baseUrl` of the nearest tsconfig. */
function nearestOptions(ts, root, base) {
  const known = new Map()
  function optionsOf(directory) {
    if (known.has(directory)) return known.get(directory)
    let options = base
    const config = ['tsconfig.json', 'jsconfig.json'].map((name) => path.join(directory, name)).find(ts.sys.fileExists)
    if (config) {
      const { config: json } = ts.readConfigFile(config, ts.sys.readFile)
      const listing = { ...ts.sys, readDirectory: () => [] }
      const { paths, baseUrl, pathsBasePath } =
        ts.parseJsonConfigFileContent(json ?? {}, listing, directory, {}, config).options
      if (paths || baseUrl) options = { ...base, paths, baseUrl, pathsBasePath }
    } else if (directory.length > root.length) {
      options = optionsOf(path.dirname(directory))
    }
    known.set(directory, options)
    return options
  }
  return optionsOf
}

/** The targets a map of `exports` or `imports` gives for a key, in the order of its conditions. */
function mapped(map, key) {
  if (!map || typeof map !== 'object') return []
  if (key in map) return leaves(map[key])
  for (const [pattern, value] of Object.entries(map)) {
    const [before, after] = pattern.split('*')
    if (after === undefined || !key.startsWith(before) || !key.endsWith(after)) continue
    const middle = key.slice(before.length, key.length - after.length)
    return leaves(value).map((target) => target.replaceAll('*', middle))
  }
  return []
}

function leaves(value) {
  if (typeof value === 'string') return [value]
  return value && typeof value === 'object' ? Object.values(value).flatMap(leaves) : []
}
