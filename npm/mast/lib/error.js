// The one error of the package.
'use strict'

/** A call that failed. `code` is stable; `message` is one line for people. */
class MastError extends Error {
  constructor(code, message, options) {
    super(message, options)
    // The name that callers who pass an AbortSignal look for.
    this.name = code === 'cancelled' ? 'AbortError' : 'MastError'
    this.code = code
  }
}

/** What was handed over is not acceptable; `message` names it. */
function invalid(message, cause) {
  const line = message.replace(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))
  return new MastError('invalid_input', line, cause === undefined ? undefined : { cause })
}

function cancelled(signal) {
  return new MastError('cancelled', 'cancelled', { cause: signal.reason })
}

module.exports = { MastError, cancelled, invalid }
