/** Builds a text line by line, each with the indentation that holds when it begins. */
import { Pace, type Sliced } from '../../turns.ts'

const INDENT = '  '

export class LineWriter {
  private readonly parts: string[] = []
  private isLineStart = true
  private depth = 0
  /** The depth at which lines are commented out, while they are. */
  private commentDepth: number | undefined
  private readonly pace = new Pace()

  /** Adds to the line. A text with line ends goes through {@link LineWriter.writeText}. */
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
   * Adds a text that may have several lines.
   *
   * @param options isFixed: all lines after the first stay where they are, as their blanks are part of what they mean.
   */
  *writeText(text: string, options: { readonly isFixed: boolean }): Sliced<void> {
    let isFirst = true
    for (const line of text.split('\n')) {
      if (this.pace.isDue()) yield
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

  /** Indents what a piece of work writes by one more step. */
  *indented(writing: Sliced<void>): Sliced<void> {
    this.depth++
    yield* writing
    this.depth--
  }

  /** Turns every line that a piece of work writes into a comment. Begins at the start of a line. */
  *commentedOut(writing: Sliced<void>): Sliced<void> {
    const before = this.commentDepth
    this.commentDepth ??= this.depth
    yield* writing
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
