/** The tables of docs/version-gates.md as a source file, `src/generated/gates.ts`. */

/** @throws Error for a row that is not a gate. */
export function renderGates(page: string): string {
  const rows = page.split('\n').filter((line) => line.startsWith('| `'))
  return `// biome-ignore-all format: generated

/** The version gates. Generated from docs/version-gates.md by \`pnpm generate\`. */
export const TABLE = {
${rows.map(gateOf).join('')}} as const
`
}

function gateOf(row: string): string {
  const cells = row.slice(2, -2).split(' | ')
  const [name = '', kind, versions = '', specRow, sentence, clientSees, decidedBy, breaks] = cells
  const gate = {
    kind,
    ...rangeOf(versions),
    specRow,
    sentence,
    clientSees,
    breaksClients: breaks === 'yes',
    decidedBy,
  }
  if (cells.length !== 8) throw new Error(`a gate has 8 cells: ${row}`)
  return `  '${name.replaceAll('`', '')}': ${JSON.stringify(gate, null, 1).replace(/\n */g, ' ')},\n`
}

/** From `1.5.0 and later`, `before 1.11` or `1.4.0 up to, not including, 1.11`. */
function rangeOf(versions: string): { readonly since?: string; readonly until?: string } {
  const found = /^(?:([\d.]+) and later|before ([\d.]+)|([\d.]+) up to, not including, ([\d.]+))$/.exec(
    versions,
  )
  if (found === null) throw new Error(`a gate is not open in "${versions}"`)
  const [, from, end, since = from, until = end] = found
  return { ...(since === undefined ? {} : { since }), ...(until === undefined ? {} : { until }) }
}
