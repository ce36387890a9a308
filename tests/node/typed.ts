// Compiled, not run: what TypeScript must accept and refuse. As an ES module and as CommonJS.

import { Mast, MastError, executablePath, schemaVersion, tools, version } from '@spikedpunch/mast'
import type { CallOptions, ErrorCode, OpenOptions, Progress, SearchInput, SearchOutput, Tools } from '@spikedpunch/mast'

export async function program(): Promise<void> {
  const where: OpenOptions = { root: '.', state_dir: null }
  const mast: Mast = await Mast.open(where)

  const query: SearchInput = { query: 'openStore', limit: 3, language: 'typescript', chunk_type: null }
  const found: SearchOutput = await mast.search(query)
  const first: string | undefined = found.results[0]?.file_path
  const line: number | undefined = found.results[0]?.start_line
  const score: number | null | undefined = found.results[0]?.match_score
  const tokens: number = found._stats.tokens_returned

  const { verified_callers, summary } = await mast.callers({ symbol: 'openStore', transitive: true })
  const sites: string[] = verified_callers.map((site) => `${site.file_path}:${site.line}`)
  const count: number = summary.verified_count

  const options: CallOptions = {
    signal: new AbortController().signal,
    onProgress: ({ done, total }: Progress) => void (done / total),
  }
  const states: Progress[] = []
  await mast.status({}, { onProgress: (progress) => states.push(progress), signal: null })
  await mast.status({}, { onProgress: async ({ done }) => void (await Promise.resolve(done)) })
  const report = await mast.reindex({ full: true }, options)
  const indexed: number = report.files_indexed
  const fresh: boolean = (await mast.status()).index_fresh

  const generic: Tools['mast_exports']['output'] = await mast.call('mast_exports', { file_path: 'a.ts' })
  const names: string[] = generic.exports.map((one) => one.name)

  try {
    await mast.projectSkeleton()
  } catch (error) {
    if (error instanceof MastError) {
      const code: ErrorCode = error.code
      console.log(code, error.message)
    }
  }

  // @ts-expect-error the query is required
  await mast.search({})
  // @ts-expect-error not an argument
  await mast.search({ query: 'a', limt: 1 })
  // @ts-expect-error not a language
  await mast.search({ query: 'a', language: 'python' })
  // @ts-expect-error not a tool
  await mast.call('mast_nothing')
  // @ts-expect-error opened, not constructed
  new Mast()
  // @ts-expect-error no such option
  await Mast.open({ rot: '.' })
  // @ts-expect-error not a signal
  await mast.status({}, { signal: 5 })
  // @ts-expect-error no such option of a call
  await mast.status({}, { singal: null })
  // @ts-expect-error no such field
  found.result

  await mast.close()
  const strings: string[] = [version, schemaVersion, executablePath(), ...tools.map((tool) => tool.name)]
  console.log(first, line, score, tokens, sites, count, indexed, fresh, names, strings)
}
