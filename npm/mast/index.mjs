// The ESM entry. The same objects as CommonJS gets: a program that mixes both has one class, not two.
import mast from './index.js'

export const { Mast, MastError, executablePath, schemaVersion, tools, version } = mast
