// The ESM entry. The same objects as CommonJS gets: a program that mixes both has one class, not two.
import { createRequire } from 'node:module'

// Not by `import`: on Node 20, CommonJS that throws while it is imported ends the process even when the failure is caught.
const require = createRequire(import.meta.url)

export const { Mast, MastError, executablePath, schemaVersion, tools, version } = require('./index.js')
