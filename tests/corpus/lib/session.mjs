// One conversation with `mast serve`.

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

export class Session {
  #child
  #waiting = new Map()
  #lastId = 0
  #ended = false
  #complaints = ''

  /** Milliseconds from just before the start of the process until `initialize` was answered. */
  initialized = 0

  /** Starts a server on a project and returns the session once `initialize` is answered. */
  static async open(mast, root, flags = []) {
    const session = new Session()
    session.started = performance.now()
    session.#child = spawn(mast, ['serve', '--root', root, ...flags], { stdio: 'pipe' })
    session.#listen()
    const clientInfo = { name: 'mast-bench', version: '1' }
    await session.#request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
    session.initialized = performance.now() - session.started
    session.#send({ method: 'notifications/initialized' })
    return session
  }

  get pid() {
    return this.#child.pid
  }

  /** Calls a tool and returns its answer; a refusal throws. */
  async call(name, args) {
    const result = await this.#request('tools/call', { name, arguments: args })
    const [{ text }] = result.content
    if (result.isError) throw new Error(`${name} ${JSON.stringify(args)}: ${text}`)
    return JSON.parse(text)
  }

  /** Calls a tool; returns the milliseconds until its answer was there, without taking the answer apart. */
  async time(name, args) {
    const start = performance.now()
    const result = await this.#request('tools/call', { name, arguments: args })
    const duration = performance.now() - start
    if (result.isError) throw new Error(`${name} ${JSON.stringify(args)}: ${result.content[0].text}`)
    return duration
  }

  /** Ends the server and waits until it is gone. */
  close() {
    if (this.#ended) return Promise.resolve()
    const gone = new Promise((resolve) => this.#child.once('close', resolve))
    this.#child.stdin.end()
    return gone
  }

  #listen() {
    const end = (reason) => {
      this.#ended = true
      for (const { reject } of this.#waiting.values()) reject(new Error(`the server ended: ${reason}`))
      this.#waiting.clear()
    }
    this.#child.once('error', (error) => end(error.message))
    this.#child.once('close', (code) => end(`${code} ${this.#complaints}`))
    this.#child.stdin.on('error', () => {}) // `close` tells
    this.#child.stderr.setEncoding('utf8').on('data', (text) => {
      this.#complaints = (this.#complaints + text).slice(-2000)
    })
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const { id, result, error } = JSON.parse(line)
      const waiting = this.#waiting.get(id)
      if (!waiting) return // a notification
      this.#waiting.delete(id)
      if (error) waiting.reject(new Error(error.message))
      else waiting.resolve(result)
    })
  }

  #request(method, params) {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      if (this.#ended) return reject(new Error('the server has ended'))
      this.#waiting.set(id, { resolve, reject })
      this.#send({ id, method, params })
    })
  }

  #send(message) {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
}
