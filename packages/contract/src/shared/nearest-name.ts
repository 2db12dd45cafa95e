/** Suggests what was probably meant by an unknown name. Case, `_` and `-` are ignored. */

/** A name is suggested if it differs by one edit, or by at most a third of its characters and this many edits. */
const EDITS_MAX = 3
const LENGTH_PER_EDIT = 3

/** The known name that is closest to the written one; `undefined` if none is close. */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  return nearestNames(written, known)[0]
}

/** The known names that are close to the written one, the closest first. */
export function nearestNames(written: string, known: Iterable<string>): string[] {
  const wanted = bare(written)
  const near: { readonly name: string; readonly edits: number }[] = []
  for (const name of known) {
    const candidate = bare(name)
    const { length } = candidate
    const editsMax = Math.min(EDITS_MAX, length - 1, Math.max(1, Math.floor(length / LENGTH_PER_EDIT)))
    // The difference in length costs little to compute, and keeps a long text from being compared.
    if (Math.abs(length - wanted.length) > editsMax) continue
    const edits = editDistance(wanted, candidate)
    if (edits <= editsMax) near.push({ name, edits })
  }
  return near.sort((a, b) => a.edits - b.edits).map(({ name }) => name)
}

/**
 * Refuses unknown names of options, which plain JavaScript does not check.
 *
 * @param what such as `option`.
 * @throws TypeError that suggests the nearest name, or lists all.
 */
export function refuseUnknownNames(what: string, given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const nearest = nearestName(unknown, known)
  const hint = nearest === undefined ? `, only ${known.join(', ')}` : `; did you mean ${nearest}?`
  throw new TypeError(`there is no ${what} named ${JSON.stringify(unknown)}${hint}`)
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '')
}

/** The edit distance: letters to insert, delete or replace, and neighbours to swap. */
function editDistance(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i]
    for (let j = 1; j <= to.length; j += 1) {
      const isSame = from[i - 1] === to[j - 1]
      const isSwap = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwap ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    before = last
    last = row
  }
  return last[to.length] ?? 0
}
