/** Builds a text line by line, each with the indentation that holds when it begins. */
const INDENT = '  '

export class LineWriter {
  readonly #parts: string[] = []
  #isLineStart = true
  #depth = 0
  /** The depth at which lines are commented out, while they are. */
  #commentDepth: number | undefined

  /** Adds to the line. A text with line ends goes through {@link LineWriter.writeText}. */
  write(text: string): void {
    if (text === '') return
    if (this.#isLineStart) this.#parts.push(this.#margin())
    this.#isLineStart = false
    this.#parts.push(text)
  }

  newline(): void {
    if (this.#isLineStart && this.#commentDepth !== undefined) this.#parts.push(this.#margin().trimEnd())
    this.#parts.push('\n')
    this.#isLineStart = true
  }

  /**
   * Adds a text that may have several lines.
   *
   * @param options isFixed: all lines after the first stay where they are, as their blanks are part of what they mean.
   */
  writeText(text: string, options: { readonly isFixed: boolean }): void {
    const [first = '', ...rest] = text.split('\n')
    this.write(first)
    for (const line of rest) {
      this.newline()
      if (options.isFixed && this.#commentDepth === undefined) this.#isLineStart = line === ''
      this.#parts.push(...(this.#isLineStart ? [] : [line]))
      if (this.#isLineStart) this.write(line)
    }
  }

  /** Whatever is written meanwhile, one step to the right. */
  indented(write: () => void): void {
    this.#depth++
    write()
    this.#depth--
  }

  /** Every line written meanwhile becomes a comment. Begins at the start of a line. */
  commentedOut(write: () => void): void {
    const before = this.#commentDepth
    this.#commentDepth ??= this.#depth
    write()
    this.#commentDepth = before
  }

  toString(): string {
    return this.#parts.join('')
  }

  #margin(): string {
    const commentDepth = this.#commentDepth
    if (commentDepth === undefined) return INDENT.repeat(this.#depth)
    return `${INDENT.repeat(commentDepth)}# ${INDENT.repeat(this.#depth - commentDepth)}`
  }
}
