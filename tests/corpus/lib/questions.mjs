// What a server is asked when its latency is measured.

import path from 'node:path'
import { sample } from './random.mjs'
import { isCode } from './walk.mjs'

const SEED = 1
const QUESTIONS = 40
const FILES = 200 // many export nothing

/**
 * Questions made from the index itself, by tool: about exported names of files chosen by a fixed seed, half of the
 * searches by the words of a name, and skeletons of the whole project and of directories. The same index gives the same
 * questions.
 */
export async function makeQuestions(session, files) {
  const names = new Set()
  for (const file of sample(files.filter(isCode), FILES, SEED)) {
    const { exports } = await session.call('mast_exports', { file_path: file })
    const [entry] = sample(exports.filter(({ name }) => isName(name)), 1, SEED)
    if (entry) names.add(entry.name)
  }
  if (names.size === 0) throw new Error('no sampled file exports a name')
  return questionsAbout(sample([...names], QUESTIONS, SEED), files)
}

/** The questions about these names and files. */
export function questionsAbout(names, files) {
  const directories = [...new Set(files.map((file) => path.posix.dirname(file)))].filter((name) => name !== '.').sort()
  return {
    mast_search: names.map((name, i) => ({ query: i % 2 === 0 ? name : words(name) })),
    mast_callers: names.map((symbol) => ({ symbol })),
    mast_signature: names.map((symbol) => ({ symbol })),
    mast_project_skeleton: [{}, ...sample(directories, QUESTIONS - 1, SEED).map((directory) => ({ directory }))],
  }
}

function isName(name) {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== 'default'
}

function words(name) {
  return name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replaceAll('_', ' ').trim().toLowerCase() || name
}
