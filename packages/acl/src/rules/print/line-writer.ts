/** Builds a text line by line. Each line is indented by the depth at its start. */

const INDENT = '  '

export class LineWriter {
  private readonly parts: string[] = []
  private isLineStart = true
  private depth = 0
  /** While lines are commented out, the depth of the comment marks. */
  private commentDepth: number | undefined

  /** Appends to the line. Use {@link LineWriter.writeText} for a text with line ends. */
  write(text: string): void {
    if (text === '') return
    if (this.isLineStart) this.parts.push(this.margin())
    this.isLineStart = false
    this.parts.push(text)
  }

  newline(): void {
    if (this.isLineStart && this.commentDepth !== undefined) this.parts.push(this.margin().trimEnd())
    this.parts.push('\n')
    this.isLineStart = true
  }

  /**
   * Appends a text that may have several lines.
   *
   * @param options isFixed: lines after the first are not indented, because their blanks are significant.
   */
  writeText(text: string, options: { readonly isFixed: boolean }): void {
    let isFirst = true
    for (const line of text.split('\n')) {
      if (!isFirst) this.newline()
      const isKept = !isFirst && options.isFixed && this.commentDepth === undefined && line !== ''
      if (isKept) {
        this.isLineStart = false
        this.parts.push(line)
      } else {
        this.write(line)
      }
      isFirst = false
    }
  }

  /** Indents everything that `write` writes by one level. */
  indented(write: () => void): void {
    this.depth++
    write()
    this.depth--
  }

  /** Comments out every line that `write` writes. Must begin at the start of a line. */
  commentedOut(write: () => void): void {
    const before = this.commentDepth
    this.commentDepth ??= this.depth
    write()
    this.commentDepth = before
  }

  toString(): string {
    return this.parts.join('')
  }

  private margin(): string {
    const commentDepth = this.commentDepth
    if (commentDepth === undefined) return INDENT.repeat(this.depth)
    return `${INDENT.repeat(commentDepth)}# ${INDENT.repeat(this.depth - commentDepth)}`
  }
}
