/** Repeats whole pieces up to a length in characters. */
export function many(length: number, piece: (i: number) => string): string {
  const pieces: string[] = []
  for (let left = length, i = 0; ; i++) {
    const next = piece(i)
    left -= next.length
    if (left < 0) return pieces.join('')
    pieces.push(next)
  }
}
