// Asks mast over one MCP session on standard input and output.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** Starts `command` (a program and its arguments) and resolves to a session once it has introduced itself. */
export async function openSession([program, ...args]) {
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const waiting = new Map()
  let ended = false
  let id = 0

  const fail = (reason) => {
    ended = true
    for (const { reject } of waiting.values()) reject(new Error(reason))
    waiting.clear()
  }
  child.on('error', (error) => fail(`${program}: ${error.message}`))
  child.on('exit', (code, signal) => fail(`the server ended with ${signal ?? code}`))
  child.stdin.on('error', () => {})
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line)
    const asked = waiting.get(message.id)
    if (!asked) return
    waiting.delete(message.id)
    if (message.error) asked.reject(new Error(message.error.message))
    else asked.resolve(message.result)
  })

  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  function request(method, params) {
    if (ended) return Promise.reject(new Error('the server has ended'))
    id += 1
    send({ id, method, params })
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
  }

  const clientInfo = { name: 'quality', version: '1' }
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    /** The answer of a tool, parsed; throws what the tool refuses with. */
    async call(name, args) {
      const { content, isError } = await request('tools/call', { name, arguments: args })
      if (isError) throw new Error(`${name} ${JSON.stringify(args)}: ${content[0].text}`)
      return JSON.parse(content[0].text)
    },
    close() {
      if (ended) return Promise.resolve()
      child.stdin.end()
      return new Promise((resolve) => child.on('exit', resolve))
    },
  }
}
