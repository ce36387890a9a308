// Stands in for `tsserver` in tests that must not depend on an installed TypeScript. It answers from `plan.json` beside its
// package.json, and misbehaves as told there.
//
// plan.json: { project?, files?: the program's, misbehave?, called: { "file:line:column": ["file:line:column", …] }, named?: the same }
// `named` are the answers once the files were opened a second time; what it lacks is answered from `called`.
'use strict'

const fs = require('node:fs')
const path = require('node:path')

const plan = JSON.parse(fs.readFileSync(path.join(__dirname, '..', 'plan.json'), 'utf8'))
const root = path.resolve(__dirname, '../../..').replaceAll('\\', '/')
const misbehave = plan.misbehave ?? ''
let opened = 0
let asked = 0
let rest = ''

function send(message) {
  const body = JSON.stringify(message)
  process.stdout.write(`Content-Length: ${Buffer.byteLength(body) + 1}\r\n\r\n${body}\n`)
}

function answer(request, body) {
  send({ seq: 0, type: 'response', command: request.command, request_seq: request.seq, success: body !== undefined, body })
}

function definitions({ file, line, offset }) {
  const key = `${path.posix.relative(root, file)}:${line}:${offset}`
  const found = (opened > 1 && plan.named?.[key]) || plan.called[key] || []
  return found.map((place) => {
    const [, target, targetLine, column] = /^(.*):(\d+):(\d+)$/.exec(place)
    return { file: path.posix.resolve(root, target), start: { line: Number(targetLine), offset: Number(column) } }
  })
}

/** Says something all the time, and never what was asked for. */
function chat() {
  send({ seq: 0, type: 'event', event: 'telemetry', body: {} })
  setTimeout(chat, 10)
}

function serve(request) {
  send({ seq: 0, type: 'event', event: 'telemetry', body: {} })
  if (request.command === 'updateOpen') {
    opened += 1
    return answer(request, true)
  }
  if (request.command === 'projectInfo') {
    const name = plan.project === null ? '/dev/null/inferredProject1*' : path.posix.join(root, plan.project ?? 'tsconfig.json')
    const fileNames = request.arguments.needFileNameList
      ? (plan.files ?? ['tsconfig.json']).map((file) => path.posix.resolve(root, file))
      : undefined
    return answer(request, { configFileName: name, languageServiceDisabled: false, fileNames })
  }
  asked += 1
  if (misbehave === 'crash midway' && asked === 2) {
    console.error('RangeError: out of memory, for example')
    return process.exit(7)
  }
  if (misbehave === 'hang midway' && asked === 2) return
  if (misbehave === 'garbage midway' && asked === 2) return process.stdout.write('Segmentation fault\n')
  if (misbehave === 'edit' && asked === 1) fs.appendFileSync(path.join(root, plan.edit), '// edited\n')
  if (misbehave === 'refuse') return answer(request)
  if (misbehave === 'slow') return setTimeout(() => answer(request, definitions(request.arguments)), 1000 * asked)
  if (misbehave === 'hang, chatting') return chat()
  answer(request, definitions(request.arguments))
}

switch (misbehave) {
  case 'crash':
    console.error('Error: Cannot find module for example')
    process.exit(3)
    break
  case 'half a message':
    process.stdout.write('Content-Length: 100\r\n\r\n{"type":', () => process.exit(0))
    break
  case 'hang':
    fs.writeFileSync(path.join(__dirname, '..', 'pid'), String(process.pid))
    setInterval(() => {}, 1000)
    break
  default:
    if (misbehave === 'garbage') process.stdout.write('Welcome to TypeScript!\n')
    process.stdin.on('data', (chunk) => {
      rest += chunk
      const lines = rest.split('\n')
      rest = lines.pop()
      for (const line of lines) serve(JSON.parse(line))
    })
    process.stdin.on('end', () => process.exit(0))
}
