// Real versions of TypeScript, one of each protocol and age, asked through `mast index --checker`. Every expected line was
// reasoned out from the fixture; that the versions agree is part of the test.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import test, { before } from 'node:test'
import { fileURLToPath } from 'node:url'
import { artifacts, targets } from '../../npm/scripts/targets.mjs'
import platform from '../../npm/mast/lib/platform.js'
import { built, temporaryFolder, writeFiles } from '../node/support.mjs'

const fixtures = path.join(path.dirname(fileURLToPath(import.meta.url)), 'fixture')
const mast = path.join(built, artifacts(targets.find(({ name }) => name === platform.target())).executable)

/** Exact versions, by the folder they are installed in. scripts/test installs the same. */
const VERSIONS = {
  typescript: 'typescript@5.9.3',
  'typescript-6': 'typescript-6@npm:typescript@6.0.3',
  'typescript-7': 'typescript-7@npm:typescript@7.0.2',
}

/** Where the versions are; installed here when scripts/test has not done so. */
let packages
before(() => {
  const tools = process.env.MAST_TEST_TOOLS ?? path.join(os.tmpdir(), 'mast-test-typescript')
  packages = path.join(tools, 'node_modules')
  const missing = Object.keys(VERSIONS).some((folder) => !fs.existsSync(path.join(packages, folder, 'package.json')))
  if (!missing) return
  fs.mkdirSync(tools, { recursive: true })
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  const windows = process.platform === 'win32' // where npm is a batch file, which only a shell starts
  execFileSync('npm', ['install', '--prefix', tools, ...quiet, ...Object.values(VERSIONS)], { shell: windows })
})

/** A copy of a fixture, indexed and checked by one version; returns how to ask about it and what the command printed. */
function checked(t, fixture, version, install, more = {}) {
  const root = temporaryFolder(t, 'mast-checker-')
  fs.cpSync(path.join(fixtures, fixture), root, { recursive: true })
  writeFiles(root, more)
  const given = install ? [] : ['--typescript', path.join(packages, version)]
  install?.(root)
  const run = (...args) => spawnSync(mast, args, { cwd: root, encoding: 'utf8' })
  const { status, stdout, stderr } = run('index', '--checker', ...given, '--root', root)
  assert.equal(status, 0, stderr)
  const ask = (tool, symbol, file_path) => {
    const answer = run('query', tool, JSON.stringify({ symbol, file_path }), '--json', '--root', root)
    assert.equal(answer.status, 0, answer.stderr)
    return JSON.parse(answer.stdout)
  }
  return { ask, printed: stdout.trim().split('\n').at(-1), root }
}

const places = (entries) => entries.map(({ file_path, line }) => `${file_path}:${line}`).join(' ')

/** `verified | potential | struck as no call, as of another declaration`, the lines of `use.ts` without its name. */
function shown(answer) {
  const { checker_classified_non_call_site: values, checker_classified_different_declaration: others } = answer.summary
  const short = (entries) => places(entries).replaceAll('use.ts:', '')
  return `${short(answer.verified_callers)} | ${short(answer.potential_matches)} | ${values}, ${others}`
}

for (const version of Object.keys(VERSIONS)) {
  test(`${version}: names go where the compiler says, and what it cannot say stays open`, (t) => {
    const { ask } = checked(t, 'names', version)
    const callers = (symbol) => shown(ask('mast_callers', symbol, 'lib.ts'))
    // Lines of use.ts nobody can tell: the mapped types (19, 20), the property of function type (21), `any` (22), the
    // parameter (26), what was taken from a union (38), `.call` (47), and the package that is not installed (48).
    const open = '19 20 21 22 26 38 47 48'
    // What takes a method out of an object is no call (36), and of a function no mention as a value is (36, 37, 46, `onSave`).
    assert.equal(callers('Disk.save'), `9 11 12 13 17 18 30 33 view.tsx:9 | ${open} | 1, 2`)
    // Of a union only the first member is proven, and the test of line 29 is lost where the name is asked about alone.
    assert.equal(callers('Tape.save'), `10 33 | 11 ${open.replace('26', '26 30')} | 1, 5`)
    assert.equal(callers('Store.save'), `14 | ${open} | 1, 7`)
    assert.equal(callers('Fast.save'), ` | ${open} | 1, 8`, 'a call through the interface is none of a class')
    assert.equal(callers('save'), `23 24 | ${open} | 4, 8`, 'a local of the name, its type and a comment are others')
    assert.match(callers('Many.put'), /^15 16 \| /, 'a call of either overload is one of the method')
    assert.equal(callers('Disk.load'), '45 |  | 0, 0', 'a call inside a template is one, in a string it is none')
    const elements = shown(ask('mast_callers', 'Panel'))
    assert.equal(elements, 'view.tsx:9 | view.tsx:9 | 0, 0', 'an element is a call of what a plain name means')

    // A rename keeps what means the declaration, call or not, and what cannot be told: the pattern takes `save` from
    // `Disk | Tape`, and a property (8) and a parameter (25) may hold anything of its type. Struck are calls of others, and for the function the pattern.
    const disk = ask('mast_rename_impact', 'Disk.save', 'lib.ts')
    assert.equal(shown(disk), '9 11 12 13 17 18 30 33 view.tsx:9 | 8 19 20 21 22 25 26 36 38 47 48 | 0, 2')
    const save = ask('mast_rename_impact', 'save', 'lib.ts')
    assert.equal(shown(save), '23 24 | 19 20 21 22 26 37 38 46 47 48 view.tsx:9 | 1, 8')
  })

  test(`${version}: solutions, inherited settings, JavaScript, several projects, and files of none`, (t) => {
    const { ask, printed } = checked(t, 'projects', version)
    const callers = (symbol) => shown(ask('mast_callers', symbol))
    const outside = 'spec/b.ts:2'
    assert.equal(callers('Job.start'), `spec/a.ts:2 src/main.ts:2 | ${outside} | 0, 3`)
    assert.equal(callers('Timer.start'), `spec/a.ts:3 | ${outside} | 0, 4`)
    assert.equal(callers('Motor.start'), `js/motor.js:6 | ${outside} | 0, 4`)
    assert.equal(callers('Engine.start'), `packages/app/main.ts:2 | ${outside} | 0, 4`)
    assert.match(printed, /^\d+ mentions asked about by TypeScript \S+ in 4 projects, 5 calls verified, .*1 file outside every project, \d+ ms$/)
  })
}

/** A project whose calls are decided by files that mast does not index: generated, of another extension, installed, above. */
const RESTING = {
  'base.json': '{ "compilerOptions": { "strict": true } }',
  'above/kind.ts': 'export type Kind = "disk";',
  'app/tsconfig.json': `{
    "extends": "../base.json",
    "compilerOptions": { "composite": true, "outDir": "out", "module": "nodenext", "target": "es2022", "types": [], "baseUrl": "." },
    "include": ["src", "gen"]
  }`,
  'app/package.json': '{ "name": "app", "type": "module" }',
  'app/mast.config.json': '{ "file_extensions": ["ts"] }',
  'app/.gitignore': 'gen\nnode_modules\n',
  'app/src/lib.ts': 'export class Disk { save(): void {} }\nexport class Tape { save(): void {} }\n',
  'app/src/mid.mts': 'import type { Disk } from "./lib.js";\nexport type Held = Map<number, Disk>;\n',
  'app/gen/held.d.ts': 'import type { Disk } from "../src/lib.js";\nexport type Held = Map<number, Disk>;\n',
  'app/node_modules/dep/package.json': '{ "name": "dep", "version": "1.0.0", "types": "index.d.ts" }',
  'app/node_modules/dep/index.d.ts': 'export type Kind = "disk";\n',
  'app/src/use.ts': [
    'import type { Disk, Tape } from "./lib.js";',
    'import type { Held } from "./mid.mjs";',
    'import type { Held as Made } from "../gen/held.js";',
    'import type { Kind } from "dep";',
    'import type { Kind as Above } from "../../above/kind.js";',
    'type Kinds = { disk: Disk; tape: Tape };',
    'export const a = (held: Held) => held.get(1)?.save();',
    'export const b = (held: Made) => held.get(1)?.save();',
    'export const c = (held: Map<number, Kinds[Kind]>) => held.get(1)?.save();',
    'export const d = (held: Map<number, Kinds[Above]>) => held.get(1)?.save();',
    'export const e = (held: Held, other: () => void) => (held.get(2)?.save ?? other)();',
    '',
  ].join('\n'),
}

for (const version of Object.keys(VERSIONS)) {
  test(`${version}: verdicts rest on every file of the program, and on nothing else`, (t) => {
    const top = temporaryFolder(t, 'mast-checker-')
    const root = path.join(top, 'app')
    writeFiles(top, RESTING)
    const run = (...args) => execFileSync(mast, [...args, '--root', root], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
    run('index', '--checker', '--typescript', path.join(packages, version))
    assert.ok(!fs.existsSync(path.join(root, 'out')), 'nothing is written')
    const answer = () => JSON.parse(run('query', 'mast_callers', '{"symbol": "Disk.save"}', '--json'))
    const verified = () => answer().verified_callers.map(({ line }) => line).join(' ')
    assert.equal(verified(), '7 8 9 10')
    assert.deepEqual(answer().potential_matches.map(({ line }) => line), [11], 'the callee is an expression')
    const sources = ['base.json', 'above/kind.ts', 'app/src/mid.mts', 'app/gen/held.d.ts', 'app/node_modules/dep/index.d.ts']
    for (const name of sources) {
      const file = path.join(top, name)
      const text = fs.readFileSync(file, 'utf8')
      fs.writeFileSync(file, text.replace(/disk|Disk|true/g, (word) => ({ disk: 'tape', Disk: 'Tape', true: 'null' })[word]))
      assert.equal(verified(), '', name)
      assert.equal(answer().summary.checker_suspended, true)
      fs.writeFileSync(file, text)
      assert.equal(verified(), '7 8 9 10', `${name} as it was`)
    }
    fs.renameSync(path.join(root, 'node_modules/dep'), path.join(root, 'node_modules/pen'))
    assert.equal(verified(), '', 'the package is gone')
    const status = JSON.parse(run('status', '--json'))
    assert.equal(status.checker.in_force, false)
    assert.equal(status.checker.suspended_by, 'node_modules')
  })

  test(`${version}: a configuration that extends itself is left out, and the rest goes on`, (t) => {
    const { ask, printed } = checked(t, 'names', version, undefined, {
      'loop/tsconfig.json': '{ "extends": "./tsconfig.json" }',
      'loop/a.ts': 'declare const x: any; x.save();\n',
    })
    assert.match(printed, /, 1 project left out, \d+ ms$/)
    assert.ok(ask('mast_callers', 'Disk.save', 'lib.ts').verified_callers.length > 8)
  })

  test(`${version}: with preserveSymlinks a definition behind a link is the file it leads to`, (t) => {
    const root = temporaryFolder(t, 'mast-checker-')
    writeFiles(root, {
      'tsconfig.json': '{ "compilerOptions": { "preserveSymlinks": true, "module": "nodenext", "strict": true, "types": [] }, "include": ["use.ts"] }',
      'use.ts': 'import { disks } from "alias";\ndisks.get(1)?.save();\n',
      'packages/core/package.json': '{ "name": "core", "type": "module", "exports": "./index.ts" }',
      'packages/core/index.ts': 'export class Disk { save(): void {} }\nexport const disks = new Map([[1, new Disk()]]);\n',
    })
    fs.mkdirSync(path.join(root, 'node_modules'))
    fs.symlinkSync(path.join(root, 'packages/core'), path.join(root, 'node_modules/alias'), 'junction')
    const run = (...args) => execFileSync(mast, [...args, '--root', root], { cwd: root, encoding: 'utf8', stdio: 'pipe' })
    run('index', '--checker', '--typescript', path.join(packages, version))
    assert.equal(shown(JSON.parse(run('query', 'mast_callers', '{"symbol": "Disk.save"}', '--json'))), '2 |  | 0, 0')
  })
}

test('the TypeScript that is installed in the project is found, also behind a symbolic link', (t) => {
  const { printed } = checked(t, 'names', '', (root) => {
    fs.mkdirSync(path.join(root, 'node_modules'))
    fs.symlinkSync(path.join(packages, 'typescript-7'), path.join(root, 'node_modules/typescript'), 'junction')
  })
  assert.match(printed, / by TypeScript 7\.0\.2 in 1 project, /)
})

test('texts that are not ASCII, carriage returns and a byte order mark leave every place where it is', (t) => {
  const text = '\uFEFF/* größe 😀 */ import { held, disks } from "./d";\r\n\tconst s = "😀é"; held(disks).save(s.length); held(disks).save(1);\r\n'
  const lib = fs.readFileSync(path.join(fixtures, 'names/lib.ts'), 'utf8')
  for (const version of Object.keys(VERSIONS)) {
    const root = temporaryFolder(t, 'mast-checker-')
    writeFiles(root, {
      'a.ts': text,
      'd.ts': `${lib}\nexport declare const disks: Box<Disk>;\n`,
      'tsconfig.json': fs.readFileSync(path.join(fixtures, 'names/tsconfig.json'), 'utf8'),
    })
    const run = (...args) => execFileSync(mast, [...args, '--root', root], { cwd: root, encoding: 'utf8' })
    run('index', '--checker', '--typescript', path.join(packages, version))
    const answer = JSON.parse(run('query', 'mast_callers', '{"symbol": "Disk.save"}', '--json'))
    assert.deepEqual(
      answer.verified_callers.map(({ line, column, resolution }) => `${line}:${column} ${resolution}`),
      ['2:31 checker', '2:59 checker'],
    )
  }
})
