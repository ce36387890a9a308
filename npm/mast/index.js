// The CommonJS entry; `index.mjs` passes the same objects on to ESM.
'use strict'

const { addonPath, executablePath } = require('./lib/platform.js')

const native = load()

function load() {
  try {
    return require(addonPath())
  } catch (error) {
    throw new Error(`mast: ${error.message}`, { cause: error })
  }
}

/** A call that failed. `code` is stable; `message` is one line for people. */
class MastError extends Error {
  constructor(code, message, options) {
    super(message, options)
    // The name that callers who pass an AbortSignal look for.
    this.name = code === 'cancelled' ? 'AbortError' : 'MastError'
    this.code = code
  }
}

/** An opened project. Calls may overlap. */
class Mast {
  #project = new native.Project()
  #running = new Set()
  #closed

  /** Use `Mast.open`. */
  constructor(key) {
    if (key !== OPENING) throw new TypeError('use `await Mast.open(options)`')
  }

  static async open(options = {}) {
    const mast = new Mast(OPENING)
    unwrap(await mast.#project.open(toJson(options, 'options')))
    return mast
  }

  /** Runs one tool by its name, such as `mast_search`. */
  async call(tool, args = {}, options = {}) {
    if (this.#closed) throw new MastError('invalid_input', 'the project is closed')
    const call = this.#run(String(tool), toJson(args ?? {}, 'arguments'), options)
    this.#running.add(call)
    try {
      return await call
    } finally {
      this.#running.delete(call)
    }
  }

  /** Waits for the calls that run, then releases files and memory. */
  close() {
    this.#closed ??= Promise.allSettled(this.#running)
      .then(() => this.#project.close())
      .then((outcome) => void unwrap(outcome))
    return this.#closed
  }

  async #run(tool, json, { signal, onProgress }) {
    if (signal?.aborted) throw cancelled(signal)
    const token = new native.CancelToken()
    const onAbort = () => token.cancel()
    const progress = onProgress && new ProgressRelay(onProgress, token)
    signal?.addEventListener('abort', onAbort, { once: true })
    let outcome
    try {
      outcome = await this.#project.call(tool, json, token, progress?.listener)
    } finally {
      signal?.removeEventListener('abort', onAbort)
    }
    progress?.finish(outcome.progress)
    if (outcome.code === 'cancelled' && signal?.aborted) throw cancelled(signal)
    return JSON.parse(unwrap(outcome))
  }
}

const OPENING = Symbol('opening')

/** Calls `onProgress` in order, each state once, never after the end. What it throws stops the call. */
class ProgressRelay {
  #onProgress
  #token
  #last
  #ended = false
  #thrown

  constructor(onProgress, token) {
    this.#onProgress = onProgress
    this.#token = token
  }

  listener = (done, total) => {
    if (this.#ended || this.#thrown || (this.#last?.done === done && this.#last.total === total)) return
    this.#last = { done, total }
    try {
      this.#onProgress({ done, total })
    } catch (error) {
      this.#thrown = { error }
      this.#token.cancel()
    }
  }

  /** The addon drops reports that follow each other closely; the last one is not to be lost. */
  finish(last) {
    if (last) this.listener(...last)
    this.#ended = true
    if (this.#thrown) throw this.#thrown.error
  }
}

function toJson(value, what) {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch (error) {
    throw new MastError('invalid_input', `${what}: ${error.message.split('\n')[0]}`, { cause: error })
  }
}

function unwrap({ json, code, message }) {
  if (code) throw new MastError(code, message)
  return json
}

function cancelled(signal) {
  return new MastError('cancelled', 'cancelled', { cause: signal.reason })
}

const tools = JSON.parse(native.tools())

// One method a tool: `mast_project_skeleton` is `projectSkeleton`.
for (const { name } of tools) {
  const method = name.replace(/^mast_/, '').replace(/_(.)/g, (_, letter) => letter.toUpperCase())
  const { [method]: value } = {
    [method](args, options) {
      return this.call(name, args, options)
    },
  }
  Object.defineProperty(Mast.prototype, method, { value, writable: true, configurable: true })
}

module.exports = {
  Mast,
  MastError,
  executablePath,
  schemaVersion: native.schemaVersion(),
  tools,
  version: native.version(),
}
