// Reads what callers hand over. The addon checks arguments against the schemas of the tools; here is refused what would
// not reach it as it was meant, since JSON has no way to say it.
'use strict'

const { types } = require('node:util')
const { invalid } = require('./error.js')

/** No tool's arguments come near it. */
const MAX_DEPTH = 32

const CALL_OPTIONS = ['signal', 'onProgress']

/**
 * The JSON of `value`. A complaint begins with `prefix` and names the part by its path below `name`:
 * `mast_search: limit: expected a value of JSON, got NaN`.
 */
function toJson(value, { name = '', prefix = '' }) {
  const refuse = (path, problem, cause) => invalid(`${prefix}${path && `${path}: `}${problem}`, cause)
  const places = new Map()

  // JSON.stringify calls it for every member on the way down, with the holder as `this`.
  function check(key, given) {
    const holder = places.get(this)
    const path = holder ? below(holder.path, key, Array.isArray(this)) : name
    if (!key.isWellFormed()) throw refuse(path, 'its name is not well-formed text')
    const member = types.isBoxedPrimitive(given) ? given.valueOf() : given
    const isAbsent = member === undefined && !Array.isArray(this)
    if (!isAbsent && !isJson(member)) throw refuse(path, `expected a value of JSON, got ${describe(member)}`)
    if (typeof member === 'string' && !member.isWellFormed()) {
      throw refuse(path, 'is not well-formed text: it holds half of a surrogate pair')
    }
    if (typeof member === 'object' && member !== null) {
      const depth = holder ? holder.depth + 1 : 0
      if (depth > MAX_DEPTH) throw refuse(name, 'nested too deeply')
      places.set(member, { path, depth })
    }
    return member
  }

  try {
    return JSON.stringify(value, check) ?? 'null'
  } catch (error) {
    if (error?.code === 'invalid_input') throw error
    // A getter or a `toJSON` threw, or the value is part of itself.
    throw refuse(name, `not a value of JSON: ${String(error?.message ?? error).split('\n')[0]}`, error)
  }
}

function below(path, key, isEntry) {
  if (isEntry) return `${path}[${key}]`
  return path ? `${path}.${key}` : key
}

function isJson(value) {
  switch (typeof value) {
    case 'object':
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value)
    default:
      return false
  }
}

/** The checked options of a call. */
function callOptions(options) {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw invalid(`options: expected an object, got ${describe(options)}`)
  }
  const unknown = Object.keys(options).find((key) => !CALL_OPTIONS.includes(key))
  if (unknown !== undefined) {
    throw invalid(`options.${unknown}: unknown option; the options are ${CALL_OPTIONS.join(', ')}`)
  }
  const { signal = null, onProgress = null } = options
  if (signal !== null && !isSignal(signal)) {
    throw invalid(`options.signal: expected an AbortSignal, got ${describe(signal)}`)
  }
  if (onProgress !== null && typeof onProgress !== 'function') {
    throw invalid(`options.onProgress: expected a function, got ${describe(onProgress)}`)
  }
  return { signal, onProgress }
}

/** Told by what it can do: other realms and polyfills have classes of their own. */
function isSignal(value) {
  return (
    typeof value === 'object' &&
    typeof value.aborted === 'boolean' &&
    typeof value.addEventListener === 'function' &&
    typeof value.removeEventListener === 'function'
  )
}

function describe(value) {
  if (value === null || value === undefined) return String(value)
  if (typeof value === 'number') return Number.isFinite(value) ? `the number ${value}` : String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}

module.exports = { callOptions, describe, toJson }
