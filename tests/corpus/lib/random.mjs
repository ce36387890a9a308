// Chance that is the same on every machine.

/** Numbers in [0, 1) from a seed: the mulberry32 generator. */
export function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** At most `count` of the items, chosen by the seed, in the order they had. */
export function sample(items, count, seed) {
  const next = generator(seed)
  const order = items.map((_, index) => index)
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(next() * (i + 1))
    ;[order[i], order[j]] = [order[j], order[i]]
  }
  return order
    .slice(0, count)
    .sort((a, b) => a - b)
    .map((index) => items[index])
}
