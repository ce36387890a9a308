// Figures: what is computed from measurements, and how it is printed.

/** The smallest value that at least `share` of the values do not exceed (nearest rank); null without values. */
export function percentile(values, share) {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]
}

/** The middle value, or the mean of the two middle ones; null without values. */
export function median(values) {
  if (values.length === 0) return null
  const sorted = [...values].sort((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2
}

/**
 * Hits and mean reciprocal rank of a list of ranks, which count from 1; 0 stands for not found.
 * All figures but `asked` are null when nothing was asked.
 */
export function score(ranks) {
  const asked = ranks.length
  if (asked === 0) return { asked, hit1: null, hit5: null, hit10: null, mrr: null }
  const within = (limit) => ranks.filter((rank) => rank > 0 && rank <= limit).length / asked
  const mrr = ranks.reduce((sum, rank) => sum + (rank > 0 ? 1 / rank : 0), 0) / asked
  return { asked, hit1: within(1), hit5: within(5), hit10: within(10), mrr }
}

/** A number with as many decimals as its size deserves; what was not measured is `n/a`. */
export function figure(value) {
  if (value === null || value === undefined) return 'n/a'
  const decimals = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3
  return value.toFixed(decimals)
}

/** Three decimals without the leading zero: `.967`, `1.000`. */
export function share(value) {
  return value === null ? 'n/a' : value.toFixed(3).replace(/^0/, '')
}
