// Speaks just enough of the protocol to ask an MCP server.

import { createInterface } from 'node:readline'

/** A client of a server that was started with pipes. */
export class Client {
  #child
  #waiting = new Map()
  #id = 0

  constructor(child) {
    this.#child = child
    child.stderr.resume()
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line)
      this.#waiting.get(message.id)?.(message)
    })
    child.on('exit', (code) => {
      const error = { message: `the server ended with ${code}` }
      for (const answer of this.#waiting.values()) answer({ error })
    })
  }

  async start() {
    const clientInfo = { name: 'parity', version: '1' }
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
    const { error } = await this.#request('initialize', params)
    if (error) throw new Error(error.message)
    this.#send({ method: 'notifications/initialized' })
  }

  async call(name, args) {
    const { result, error } = await this.#request('tools/call', { name, arguments: args })
    return error ? error.message : result.content[0].text
  }

  stop() {
    this.#child.stdin.end()
    return new Promise((resolve) => this.#child.on('exit', resolve))
  }

  #request(method, params) {
    const id = ++this.#id
    this.#send({ id, method, params })
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
}
