// Tables of strings: the first row is the heading, the first column is text, the others are figures.

/** Columns padded to one width, the first to the left and the others to the right. */
export function alignedTable(rows) {
  const widths = columnWidths(rows)
  const line = (row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ').trimEnd()
  return rows.map(line).join('\n')
}

/** The same as a Markdown table. */
export function markdownTable(rows) {
  const escaped = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const line = (row) => `| ${row.join(' | ')} |`
  const [heading, ...body] = escaped
  const rule = heading.map((_, i) => (i === 0 ? '---' : '--:'))
  return [heading, rule, ...body].map(line).join('\n')
}

function columnWidths(rows) {
  return rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)))
}
