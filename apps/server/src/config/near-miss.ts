/** A name is suggested if it differs by at most this many edits, and by at most a third of its characters. */
const DISTANCE_MAX = 3
const LENGTH_PER_EDIT = 3

/** The name that was probably meant; undefined if none is close. Case is ignored. */
export function findNearMiss(written: string, names: readonly string[]): string | undefined {
  const ranked = names
    .map((name) => ({ name, distance: editDistance(written.toUpperCase(), name.toUpperCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const [nearest] = ranked
  if (nearest === undefined) return undefined
  const distanceMax = Math.min(DISTANCE_MAX, Math.floor(nearest.name.length / LENGTH_PER_EDIT))
  return nearest.distance <= distanceMax ? nearest.name : undefined
}

/** Levenshtein distance. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (const [index, character] of [...from].entries()) {
    const next = [index + 1]
    for (let column = 1; column <= to.length; column += 1) {
      const [left = 0, above = 0, diagonal = 0] = [next[column - 1], row[column], row[column - 1]]
      next.push(Math.min(left + 1, above + 1, diagonal + (character === to[column - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[to.length] ?? 0
}
