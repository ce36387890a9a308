// The packages of `packages.json`: fetched once, checked against their pinned digest, unpacked outside the repository.

import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'

export const defaultCache = path.join(os.tmpdir(), 'mast-corpus')

/** The entries of `packages.json`; with `names`, a comma-separated list, only those, and an unknown one is an error. */
export function listPackages(names) {
  const { packages } = JSON.parse(fs.readFileSync(new URL('../packages.json', import.meta.url), 'utf8'))
  if (names === undefined) return packages
  return names.split(',').map((name) => {
    const entry = packages.find((candidate) => candidate.name === name)
    if (!entry) throw new Error(`no package ${name}; there are ${packages.map((p) => p.name).join(', ')}`)
    return entry
  })
}

/** What a digest of npm's form (`sha512-…`) says about these bytes. */
export function hasIntegrity(bytes, integrity) {
  const [algorithm] = integrity.split('-', 1)
  return `${algorithm}-${createHash(algorithm).update(bytes).digest('base64')}` === integrity
}

/** Returns the folder to index of an unpacked package, fetching the package if the cache lacks it. */
export function fetchPackage(entry, cache) {
  const label = `${entry.name.replace('@', '').replace('/', '-')}-${entry.version}`
  const unpacked = path.join(cache, label)
  if (!fs.existsSync(unpacked)) {
    fs.mkdirSync(cache, { recursive: true })
    // Unpacked beside its place and then renamed, so that an interrupted run leaves nothing half done.
    const work = fs.mkdtempSync(path.join(cache, 'fetch-'))
    try {
      const archive = download(entry, work)
      const folder = path.join(work, 'unpacked')
      fs.mkdirSync(folder)
      execFileSync('tar', ['-xzf', archive, '-C', folder, '--strip-components=1'])
      fs.renameSync(folder, unpacked)
    } finally {
      fs.rmSync(work, { recursive: true, force: true })
    }
  }
  return fs.realpathSync(path.join(unpacked, entry.folder ?? '.'))
}

function download(entry, work) {
  const wanted = `${entry.name}@${entry.version}`
  const windows = process.platform === 'win32' // where npm is a batch file, which only a shell starts
  execFileSync('npm', ['pack', wanted, '--silent', '--ignore-scripts'], { cwd: work, shell: windows })
  const archive = fs.readdirSync(work).find((name) => name.endsWith('.tgz'))
  if (!archive) throw new Error(`npm pack ${wanted} wrote no archive`)
  const file = path.join(work, archive)
  if (!hasIntegrity(fs.readFileSync(file), entry.integrity)) {
    throw new Error(`${wanted}: the archive is not the pinned one (${entry.integrity})`)
  }
  return file
}
