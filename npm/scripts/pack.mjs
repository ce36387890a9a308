// Builds the native parts for one platform and packs the npm packages. Publishes nothing.
//
//   node npm/scripts/pack.mjs [options]
//
//   --out <folder>     where the tarballs go (default: npm/dist)
//   --target <name>    a platform of targets.mjs (default: this machine's)
//   --profile <name>   cargo profile, `release` or `dev` (default: release)
//   --built <folder>   take the native parts from there instead of building them
//   --only <part>      `main` or `platform`
//   --local            the main package asks for the tarball beside it, so that both install without a registry

import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import platform from '../mast/lib/platform.js'
import { artifacts, targets } from './targets.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const { values: options } = parseArgs({
  options: {
    out: { type: 'string', default: path.join(root, 'npm/dist') },
    target: { type: 'string', default: platform.target() },
    profile: { type: 'string', default: 'release' },
    built: { type: 'string' },
    only: { type: 'string' },
    local: { type: 'boolean', default: false },
  },
})

const target = targets.find(({ name }) => name === options.target)
if (!target) {
  console.error(`${options.target} is not one of ${targets.map(({ name }) => name).join(', ')}`)
  process.exit(2)
}
const out = path.resolve(options.out)
const staging = path.join(out, 'staging')
fs.mkdirSync(staging, { recursive: true })

const tarballs = {}
if (options.only !== 'main') tarballs.platform = packPlatform(options.built ?? build())
if (options.only !== 'platform') tarballs.main = packMain(tarballs.platform)
fs.rmSync(staging, { recursive: true })
for (const tarball of Object.values(tarballs)) console.log(tarball)

/** Runs cargo; returns the folder with the results. */
function build() {
  const isHost = target.name === platform.target()
  const selection = ['build', '--profile', options.profile, '-p', 'mast-cli', '-p', 'mast-node']
  execFileSync('cargo', isHost ? selection : [...selection, '--target', target.triple], { cwd: root, stdio: 'inherit' })
  const base = process.env.CARGO_TARGET_DIR ?? path.join(root, 'target')
  const profile = options.profile === 'dev' ? 'debug' : options.profile
  return path.join(base, isHost ? '' : target.triple, profile)
}

function packPlatform(built) {
  const { executable, addon, library } = artifacts(target)
  return pack(`platforms/${target.name}`, (folder) => {
    fs.copyFileSync(path.join(built, executable), path.join(folder, executable))
    fs.copyFileSync(path.join(built, library), path.join(folder, addon))
    fs.chmodSync(path.join(folder, executable), 0o755)
  })
}

function packMain(platformTarball) {
  return pack('mast', (folder) => {
    if (!options.local) return
    const file = path.join(folder, 'package.json')
    const manifest = JSON.parse(fs.readFileSync(file, 'utf8'))
    manifest.optionalDependencies = platformTarball
      ? { [`${manifest.name}-${target.name}`]: `file:${platformTarball}` }
      : {}
    fs.writeFileSync(file, JSON.stringify(manifest))
  })
}

/** Copies a package of this folder, lets `complete` add what is not in git, and packs it. Returns the tarball. */
function pack(source, complete) {
  const folder = path.join(staging, path.basename(source))
  fs.rmSync(folder, { recursive: true, force: true })
  fs.cpSync(path.join(root, 'npm', source), folder, { recursive: true })
  fs.copyFileSync(path.join(root, 'LICENSE'), path.join(folder, 'LICENSE'))
  complete(folder)
  // npm is a script on Windows, which only a shell can run; the folder is its working directory, so nothing is quoted.
  const npm = { cwd: folder, encoding: 'utf8', shell: process.platform === 'win32' }
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--ignore-scripts'], npm))
  const tarball = path.join(out, filename.replace('@', '').replace('/', '-'))
  fs.renameSync(path.join(folder, filename), tarball)
  return tarball
}
