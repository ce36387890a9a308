// What goes on beside a call that runs: the signal that may stop it, and the progress it reports.
'use strict'

/** The calls each signal may stop. One listener serves them all: Node warns of a leak when a signal has more than ten. */
const callsOf = new WeakMap()

/** Calls `stop` when `signal` fires; returns what takes that back. */
function onAbort(signal, stop) {
  let calls = callsOf.get(signal)
  if (!calls) {
    const stops = new Set()
    calls = { stops, listener: () => [...stops].forEach((one) => one()) }
    callsOf.set(signal, calls)
    signal.addEventListener('abort', calls.listener)
  }
  calls.stops.add(stop)
  return () => {
    calls.stops.delete(stop)
    if (calls.stops.size > 0 || callsOf.get(signal) !== calls) return
    callsOf.delete(signal)
    signal.removeEventListener('abort', calls.listener)
  }
}

/**
 * Calls `onProgress` in order, each state once, never after the end. What it throws stops the call, and so does the
 * rejection of a promise it returns.
 */
class ProgressRelay {
  #onProgress
  #token
  #last
  #hasEnded = false
  #failure
  #pending = new Set()
  #stopWaiting
  #waited = new Promise((resolve) => {
    this.#stopWaiting = resolve
  })

  constructor(onProgress, token) {
    this.#onProgress = onProgress
    this.#token = token
  }

  listener = (done, total) => {
    if (this.#hasEnded || this.#failure || (this.#last?.done === done && this.#last.total === total)) return
    this.#last = { done, total }
    try {
      this.#watch(this.#onProgress({ done, total }))
    } catch (error) {
      this.#fail(error)
    }
  }

  /**
   * Passes the last report on, since the addon drops those that follow each other closely, and waits for the promises
   * that `onProgress` returned. Fails with its failure; otherwise tells whether all of them have settled.
   */
  async finish(last) {
    if (last) this.listener(...last)
    this.#hasEnded = true
    await Promise.race([Promise.all(this.#pending), this.#waited])
    if (this.#failure) throw this.#failure.error
    return this.#pending.size === 0
  }

  /** Waits for no promise any longer. */
  abandon() {
    this.#stopWaiting()
  }

  #watch(returned) {
    if (typeof returned?.then !== 'function') return
    const settled = Promise.resolve(returned)
      .catch((error) => this.#fail(error))
      .then(() => this.#pending.delete(settled))
    this.#pending.add(settled)
  }

  #fail(error) {
    this.#failure ??= { error }
    this.#token.cancel()
    this.#stopWaiting()
  }
}

module.exports = { ProgressRelay, onAbort }
