// The CommonJS entry; `index.mjs` passes the same objects on to ESM.
'use strict'

const { MastError, cancelled, invalid } = require('./lib/error.js')
const { callOptions, describe, toJson } = require('./lib/input.js')
const { addonPath, executablePath } = require('./lib/platform.js')
const { ProgressRelay, onAbort } = require('./lib/running.js')

const native = load()

function load() {
  try {
    return require(addonPath())
  } catch (error) {
    // Not with the error as its cause: that would print the same words again. Loaders of some systems write two lines.
    const failure = new Error(`mast: ${error.message.replace(/\s+/g, ' ')}`)
    Error.captureStackTrace(failure, load)
    throw failure
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
    unwrap(await mast.#project.open(toJson(options, { name: 'options' })))
    return mast
  }

  /** Runs one tool by its name, such as `mast_search`. */
  async call(tool, args, options = {}) {
    if (this.#closed) throw invalid('the project is closed')
    if (typeof tool !== 'string') throw invalid(`tool: expected a string, got ${describe(tool)}`)
    const call = this.#run(tool, toJson(args ?? {}, { prefix: `${tool}: ` }), callOptions(options))
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
    const progress = onProgress && new ProgressRelay(onProgress, token)
    const stop = () => {
      token.cancel()
      progress?.abandon()
    }
    const forget = signal && onAbort(signal, stop)
    try {
      const outcome = await this.#project.call(tool, json, token, progress?.listener)
      const isWhole = progress ? await progress.finish(outcome.progress) : true
      if (signal?.aborted && (outcome.code === 'cancelled' || !isWhole)) throw cancelled(signal)
      return JSON.parse(unwrap(outcome))
    } finally {
      forget?.()
    }
  }
}

const OPENING = Symbol('opening')

function unwrap({ json, code, message }) {
  if (code) throw new MastError(code, message)
  return json
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
