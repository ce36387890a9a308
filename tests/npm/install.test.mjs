// The packed packages, installed the way a user would, by each package manager, without install scripts.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import test, { after, before } from 'node:test'
import { STORE, built, root, writeFiles } from '../node/support.mjs'

const manifest = JSON.parse(fs.readFileSync(path.join(root, 'npm/mast/package.json'), 'utf8'))
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'mast-npm-')))
const cache = path.join(folder, 'cache')
const tools = process.env.MAST_TEST_TOOLS ?? ''
const required = (process.env.MAST_TEST_REQUIRE ?? '').split(',')
const { MAST_BINARY, MAST_ADDON, MAST_STATE_DIR, ...env } = process.env
let tarball

const managers = {
  npm: {
    add: (file) => ['npm', 'install', '--ignore-scripts', '--no-audit', '--no-fund', '--cache', cache, file],
    exec: ['npm', 'exec', '--no', '--', 'mast'],
  },
  pnpm: {
    add: (file) => ['pnpm', 'add', '--ignore-scripts', '--store-dir', cache, file],
    exec: ['pnpm', 'exec', 'mast'],
  },
  yarn: {
    add: (file) => ['yarn', 'add', '--silent', '--ignore-scripts', '--cache-folder', cache, `file:${file}`],
    exec: ['yarn', '--silent', 'run', 'mast'],
  },
}

before(() => {
  const pack = ['npm/scripts/pack.mjs', '--local', '--built', built, '--out', path.join(folder, 'packed')]
  const output = execFileSync(process.execPath, pack, { cwd: root, env, encoding: 'utf8' })
  tarball = output.trim().split('\n').at(-1)
})
after(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))

test('the tarballs hold what they should and nothing else', () => {
  const list = (file) => execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n').sort()
  const names = fs.readdirSync(path.dirname(tarball)).sort()
  assert.equal(names.length, 2, names.join())
  assert.deepEqual(list(tarball), [
    'package/LICENSE', 'package/README.md', 'package/bin/mast.js', 'package/index.d.mts', 'package/index.d.ts',
    'package/index.js', 'package/index.mjs', 'package/lib/error.js', 'package/lib/input.js', 'package/lib/platform.js',
    'package/lib/running.js', 'package/package.json',
  ])
  const platform = names.find((name) => !tarball.endsWith(name))
  const [, target] = /^spikedpunch-mast-(.*)-[\d.]+\.tgz$/.exec(platform)
  assert.deepEqual(list(path.join(path.dirname(tarball), platform)), [
    'package/LICENSE', 'package/README.md', target.startsWith('win32') ? 'package/mast.exe' : 'package/mast',
    `package/mast.${target}.node`, 'package/package.json',
  ].sort())
})

for (const [name, manager] of Object.entries(managers)) {
  const binary = find(name)
  const skip = !binary && !required.includes(name) && `${name} is not there; scripts/test fetches it`
  test(`installs and runs with ${name}`, { skip }, () => {
    assert.ok(binary, `${name} is required and missing`)
    const project = writeFiles(path.join(folder, `a project of ${name}`), {
      'package.json': '{ "private": true, "license": "MIT" }',
      ...STORE,
    })
    const run = ([command, ...args]) =>
      execFileSync(command === name ? binary : command, args, {
        cwd: project,
        env,
        encoding: 'utf8',
        shell: process.platform === 'win32',
      })
    const mast = (...args) => run([...manager.exec, ...args])

    run(manager.add(tarball))
    assert.match(mast('--version'), new RegExp(`^mast ${manifest.version}\\s*$`))
    mast('init')
    assert.match(mast('search', 'openStore', '-n', '1'), /^src\/store\.ts:8 +openStore +function \(exported\)$/m)

    const library = (load, extension) => {
      writeFiles(project, {
        [`program.${extension}`]: `${load}
Mast.open().then(async (mast) => {
  const { verified_callers: [site] } = await mast.callers({ symbol: 'openStore' })
  await mast.close()
  console.log(site.file_path, site.line, version)
})`,
      })
      return run([process.execPath, `program.${extension}`])
    }
    const expected = `src/main.ts 4 ${manifest.version}\n`
    assert.equal(library("import { Mast, version } from '@spikedpunch/mast'", 'mjs'), expected)
    assert.equal(library("const { Mast, version } = require('@spikedpunch/mast')", 'cjs'), expected)
  })
}

/** A package manager of scripts/test, else the one on the PATH. */
function find(name) {
  const suffix = process.platform === 'win32' ? '.cmd' : ''
  const folders = [path.join(tools, 'node_modules/.bin'), ...env.PATH.split(path.delimiter)]
  return folders.map((one) => path.join(one, name + suffix)).find((file) => fs.existsSync(file))
}
