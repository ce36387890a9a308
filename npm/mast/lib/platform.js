// Finds the platform package: the one that carries the native executable and the addon for this machine.
'use strict'

const fs = require('node:fs')
const path = require('node:path')
const manifest = require('../package.json')

const BUILDS = { darwin: [''], linux: ['-gnu', '-musl'], win32: ['-msvc'] }

/** Whether this very Node runs on musl. Which C libraries are installed says nothing: there may be both. */
function isMusl() {
  try {
    const loaded = fs.readFileSync('/proc/self/maps', 'latin1')
    if (loaded.includes('/ld-musl-')) return true
    if (loaded.includes('/libc.so.6')) return false
  } catch {
    // No /proc: the report knows too, it only takes ten times as long.
  }
  const { report } = process
  const before = report.excludeNetwork
  report.excludeNetwork = true // else it looks up the host names of open connections
  try {
    return report.getReport().header.glibcVersionRuntime === undefined
  } finally {
    report.excludeNetwork = before
  }
}

/** The name of this machine's build, such as `linux-x64-gnu`; one that MAST is not built for is named all the same. */
function target() {
  const suffixes = BUILDS[process.platform] ?? ['']
  const suffix = suffixes.length > 1 && isMusl() ? suffixes[1] : suffixes[0]
  return `${process.platform}-${process.arch}${suffix}`
}

/** The path of `file` in this machine's platform package. Throws an error of one line when it is not there. */
function locate(file) {
  const name = `${manifest.name}-${target()}`
  if (!(name in manifest.optionalDependencies)) {
    const prefix = `${manifest.name}-`
    const known = Object.keys(manifest.optionalDependencies).map((other) => other.slice(prefix.length))
    throw new Error(`there is no build for ${target()}; MAST is built for ${known.join(', ')}`)
  }
  let found
  try {
    found = require.resolve(`${name}/package.json`)
  } catch {
    const remedy = `install again on this machine without omitting optional dependencies, or add ${name}@${manifest.version}`
    throw new Error(`the package ${name} is not installed; ${remedy}`)
  }
  const { version } = JSON.parse(fs.readFileSync(found, 'utf8'))
  if (version !== manifest.version) {
    throw new Error(`${name} is version ${version}, but ${manifest.name} is ${manifest.version}; install both again`)
  }
  return path.join(path.dirname(found), file)
}

/** The native executable: `MAST_BINARY`, else the one of the platform package. */
function executablePath() {
  return process.env.MAST_BINARY || locate(process.platform === 'win32' ? 'mast.exe' : 'mast')
}

/** The native addon: `MAST_ADDON`, else the one of the platform package. */
function addonPath() {
  return process.env.MAST_ADDON || locate(`mast.${target()}.node`)
}

module.exports = { addonPath, executablePath, target }
