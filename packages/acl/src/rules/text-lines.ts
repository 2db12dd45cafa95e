/** Text under construction, as lines that know whether they may be indented. */

interface Line {
  text: string
  /** Inside a here-document or a string over several lines: moving it would change its meaning. */
  readonly isFixed: boolean
}

const INDENT = '  '

export class TextLines {
  readonly #lines: Line[] = [{ text: '', isFixed: false }]

  /** Adds to the last line. */
  write(text: string): void {
    const last = this.#lines.at(-1)
    if (last !== undefined) last.text += text
  }

  newline(): void {
    this.#lines.push({ text: '', isFixed: false })
  }

  /** Adds a text that may have several lines, all after the first at the margin or where they stood. */
  writeText(text: string, options: { readonly isFixed: boolean }): void {
    const [first = '', ...rest] = text.split('\n')
    this.write(first)
    for (const line of rest) this.#lines.push({ text: line, isFixed: options.isFixed && line !== '' })
  }

  append(other: TextLines): void {
    const [first, ...rest] = other.#lines
    this.write(first?.text ?? '')
    this.#lines.push(...rest.map((line) => ({ ...line })))
  }

  appendIndented(other: TextLines): void {
    this.append(
      other.#map((line) => (line.isFixed || line.text === '' ? line : { ...line, text: INDENT + line.text })),
    )
  }

  /** Every line as a comment. */
  commentedOut(): TextLines {
    return this.#map((line) => ({ text: line.text === '' ? '#' : `# ${line.text}`, isFixed: false }))
  }

  toString(): string {
    return this.#lines.map((line) => line.text).join('\n')
  }

  #map(change: (line: Line) => Line): TextLines {
    const changed = new TextLines()
    changed.#lines.splice(0, 1, ...this.#lines.map(change))
    return changed
  }
}
