// Calls that take a while: progress, stopping, and an event loop that stays free.

import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import test from 'node:test'
import { largeProject, loadPackage, storeProject } from './support.mjs'

const { Mast } = await loadPackage()

async function open(t, root) {
  const mast = await Mast.open({ root })
  t.after(() => mast.close())
  return mast
}

test('progress rises to the total, each state once, before the promise settles', async (t) => {
  const mast = await open(t, largeProject(t))
  const seen = []
  let isSettled = false
  const report = await mast.reindex(
    { full: true },
    { onProgress: (progress) => seen.push({ ...progress, isSettled }) },
  )
  isSettled = true
  assert.equal(report.files_indexed, 300)
  assert.ok(seen.length >= 2, `${seen.length} reports`)
  for (let i = 1; i < seen.length; i++) {
    assert.ok(seen[i].done > seen[i - 1].done || seen[i].total !== seen[i - 1].total, JSON.stringify(seen))
  }
  const last = seen.at(-1)
  assert.deepEqual(last, { done: last.total, total: last.total, isSettled: false })
  const count = seen.length
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(seen.length, count)
})

test('what onProgress throws stops the call and is its failure', async (t) => {
  const mast = await open(t, largeProject(t))
  const ours = new Error('no more')
  let calls = 0
  const onProgress = () => {
    calls++
    throw ours
  }
  await assert.rejects(mast.reindex({ full: true }, { onProgress }), (error) => error === ours)
  assert.equal(calls, 1)
})

for (const [when, wait] of [['at once', 0], ['while the run goes on', 5], ['after the run ended', 3_000]]) {
  test(`a promise of onProgress that rejects ${when} stops the call and is its failure`, async (t) => {
    const mast = await open(t, wait > 1_000 ? storeProject(t) : largeProject(t))
    const ours = new Error('no more')
    let calls = 0
    const onProgress = async () => {
      calls++
      await new Promise((resolve) => setTimeout(resolve, wait))
      throw ours
    }
    await assert.rejects(mast.reindex({ full: true }, { onProgress }), (error) => error === ours)
    const count = calls
    assert.ok(count >= 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
    assert.equal(calls, count)
  })
}

test('a call waits for the promises of onProgress', async (t) => {
  const mast = await open(t, largeProject(t))
  let begun = 0
  let done = 0
  const onProgress = async () => {
    begun++
    await new Promise((resolve) => setTimeout(resolve, 200))
    done++
  }
  await mast.reindex({ full: true }, { onProgress })
  assert.ok(begun >= 2, `${begun} reports`)
  assert.equal(done, begun)
})

test('a signal ends the wait for a promise of onProgress', { timeout: 20_000 }, async (t) => {
  const mast = await open(t, storeProject(t))
  const controller = new AbortController()
  let refuse
  const onProgress = () => {
    setTimeout(() => controller.abort(), 500)
    return new Promise((_, reject) => (refuse = reject))
  }
  const running = mast.reindex({}, { signal: controller.signal, onProgress })
  await assert.rejects(running, { name: 'AbortError', code: 'cancelled' })
  // Nobody is left to be told; it must not end the process either.
  refuse(new Error('too late'))
  await new Promise((resolve) => setTimeout(resolve, 50))
})

test('one signal serves many calls with one listener', async (t) => {
  const mast = await open(t, storeProject(t))
  await mast.reindex()
  const warnings = []
  const collect = (warning) => warnings.push(String(warning))
  process.on('warning', collect)
  t.after(() => process.off('warning', collect))

  const { signal } = new AbortController()
  const calls = Array.from({ length: 40 }, () => mast.search({ query: 'openStore' }, { signal }))
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  await Promise.all(calls)
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  // Warnings come on the next turn of the event loop.
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual(warnings, [])
})

test('one signal stops every call that was given it', async (t) => {
  const mast = await open(t, largeProject(t))
  const other = await open(t, largeProject(t))
  const controller = new AbortController()
  const { signal } = controller
  const runs = [mast, other].map((one) => one.reindex({ full: true }, { signal, onProgress: () => controller.abort() }))
  await Promise.all(runs.map((run) => assert.rejects(run, { name: 'AbortError', code: 'cancelled' })))
  await assert.rejects(mast.status({}, { signal }), { code: 'cancelled' })
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('a signal that was aborted before stops the call at once', async (t) => {
  const mast = await open(t, storeProject(t))
  const reason = new Error('changed my mind')
  await assert.rejects(mast.reindex({}, { signal: AbortSignal.abort(reason) }), (error) => {
    assert.deepEqual([error.name, error.code, error.cause], ['AbortError', 'cancelled', reason])
    return true
  })
  await assert.rejects(mast.search({ query: 'a' }), { code: 'no_index' }, 'nothing was indexed')
})

test('a signal stops a run that has begun; the next run completes it', async (t) => {
  const mast = await open(t, largeProject(t))
  const controller = new AbortController()
  const running = mast.reindex({ full: true }, { signal: controller.signal, onProgress: () => controller.abort() })
  await assert.rejects(running, { name: 'AbortError', code: 'cancelled' })

  await mast.reindex()
  const status = await mast.status()
  assert.deepEqual([status.indexed_files, status.stale_files, status.index_fresh], [300, 0, true])
})

test('a signal that fires later has nothing to stop', async (t) => {
  const mast = await open(t, storeProject(t))
  const controller = new AbortController()
  await mast.reindex({}, { signal: controller.signal })
  controller.abort()
  assert.equal((await mast.status()).indexed_files, 3)
})

test('the event loop stays free while indexing', async (t) => {
  const mast = await open(t, largeProject(t))
  const delay = monitorEventLoopDelay({ resolution: 10 })
  const started = performance.now()
  delay.enable()
  await mast.reindex({ full: true })
  delay.disable()
  const took = performance.now() - started
  // Were the work done on the event loop, one delay would be as long as the whole run.
  const longest = delay.max / 1e6
  assert.ok(took > 100, `the run of ${took} ms is too short to tell`)
  assert.ok(longest < took / 2, `blocked for ${longest} ms of ${took} ms`)
  assert.ok(delay.percentile(50) / 1e6 < 40, `typically late by ${delay.percentile(50) / 1e6} ms`)
})
