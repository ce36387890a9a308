// Writes what is derived from elsewhere: the platform packages, versions and the type declarations.
//
//   node npm/scripts/sync.mjs           writes
//   node npm/scripts/sync.mjs --check   only compares; exits 1 and names the files that are out of date

import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { artifacts, targets } from './targets.mjs'
import { declarations } from './types.mjs'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const read = (file) => fs.readFileSync(path.join(root, file), 'utf8').replaceAll('\r\n', '\n')
const version = /^version = "(.*)"$/m.exec(read('Cargo.toml'))[1]
const main = JSON.parse(read('npm/mast/package.json'))

function platformPackage(target) {
  const { executable, addon } = artifacts(target)
  return {
    name: `${main.name}-${target.name}`,
    version,
    description: `${main.name} for ${target.name}: the native executable and addon`,
    license: main.license,
    repository: { ...main.repository, directory: `npm/platforms/${target.name}` },
    os: [target.os],
    cpu: [target.cpu],
    ...(target.libc && { libc: [target.libc] }),
    engines: main.engines,
    main: addon,
    files: [executable, addon],
    preferUnplugged: true,
    publishConfig: { ...main.publishConfig, executableFiles: [`./${executable}`] },
  }
}

function platformReadme({ name }) {
  return `# ${main.name}-${name}

The native part of [${main.name}](https://www.npmjs.com/package/${main.name}) for \`${name}\`. Installed with it; nothing to
install by hand.
`
}

function* derived() {
  for (const target of targets) {
    const folder = `npm/platforms/${target.name}`
    yield [`${folder}/package.json`, json(platformPackage(target))]
    yield [`${folder}/README.md`, platformReadme(target)]
  }
  const optionalDependencies = Object.fromEntries(targets.map(({ name }) => [`${main.name}-${name}`, version]))
  yield ['npm/mast/package.json', json({ ...main, version, optionalDependencies })]

  const server = JSON.parse(read('server.json'))
  const [entry] = server.packages
  yield ['server.json', json({ ...server, version, packages: [{ ...entry, version }] })]

  const schemas = path.join(root, 'docs/schemas')
  yield ['npm/mast/index.d.ts', declarations(schemas)]
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`
}

const isCheck = process.argv.includes('--check')
const stale = []
for (const [file, text] of derived()) {
  const full = path.join(root, file)
  if (fs.existsSync(full) && read(file) === text) continue
  stale.push(file)
  if (isCheck) continue
  fs.mkdirSync(path.dirname(full), { recursive: true })
  fs.writeFileSync(full, text)
}
if (isCheck && stale.length > 0) {
  console.error(`out of date: ${stale.join(', ')}\nrun node npm/scripts/sync.mjs`)
  process.exitCode = 1
} else {
  for (const file of stale) console.log(`wrote ${file}`)
}
