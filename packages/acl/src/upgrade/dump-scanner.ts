/**
 * Splits the bytes of a legacy token list into records: the elements of one JSON array, or NDJSON. Buffers one object
 * at a time, so a list may be larger than memory. Errors never quote an object, because it may contain secrets.
 */

/** Maximum bytes of one token, whose rules have at most half a megabyte. */
export const DUMP_RECORD_BYTES_MAX = 4 * 1024 * 1024

/** One parsed object of the list, with its position. */
export interface DumpRecord {
  readonly value: object
  /** From 0. */
  readonly position: number
  /** Offset of its first byte. */
  readonly byte: number
  /** From 1. */
  readonly line: number
}

/** The bytes are truncated, not UTF-8, or not a JSON list. */
export class DumpSyntaxError extends Error {
  override readonly name = 'DumpSyntaxError'
  /** See {@link DumpRecord}. */
  readonly byte: number
  readonly line: number
  constructor(message: string, { byte, line }: { readonly byte: number; readonly line: number }) {
    super(message)
    this.byte = byte
    this.line = line
  }
}

type State = 'encoding' | 'start' | 'first-element' | 'element' | 'after-element' | 'end' | 'lines'

const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d

/** Length of the longest byte order mark. */
const MARK_BYTES_MAX = 3
const NOTHING = new Uint8Array(0)

export class DumpScanner {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  private state: State = 'encoding'
  private position = 0
  /** Offset of the current chunk, including the rest of the previous one. */
  private base = 0
  private line = 1
  private rest: Uint8Array = NOTHING
  private depth = 0
  private inString = false
  private escaped = false
  private objectLine = 1
  /** Index in the buffer up to which the bytes were scanned. */
  private resume = 0

  /** Accepts the next bytes and returns the objects that they complete. @throws DumpSyntaxError */
  push(bytes: Uint8Array): DumpRecord[] {
    const chunk = this.rest.length === 0 ? bytes : joined(this.rest, bytes)
    if (this.state === 'encoding') {
      if (chunk.length < MARK_BYTES_MAX) {
        this.rest = chunk
        return []
      }
      this.checkEncoding(chunk)
    }
    return this.scan(chunk)
  }

  /**
   * Ends the input.
   *
   * @returns the objects of a list shorter than {@link MARK_BYTES_MAX}.
   * @throws DumpSyntaxError if the dump is truncated or empty.
   */
  end(): DumpRecord[] {
    const records: DumpRecord[] = []
    if (this.state === 'encoding') {
      this.checkEncoding(this.rest)
      records.push(...this.scan(this.rest))
    }
    if (this.depth > 0) {
      throw this.error(`the dump is cut off inside token ${this.position}, which begins here`, this.base)
    }
    if (this.state === 'start') throw this.error('the dump is empty', 0)
    if (this.state !== 'end' && this.state !== 'lines') {
      const after = this.position === 0 ? 'at its start' : `after token ${this.position - 1}`
      throw this.error(`the dump is cut off ${after}: the list is not closed`, this.base)
    }
    return records
  }

  /** The number of objects so far. */
  get count(): number {
    return this.position
  }

  /** Whether the objects follow each other without a list (NDJSON). */
  get isLines(): boolean {
    return this.state === 'lines'
  }

  private scan(chunk: Uint8Array): DumpRecord[] {
    const records: DumpRecord[] = []
    let start = this.depth > 0 ? 0 : -1
    for (let i = this.resume; i < chunk.length; i += 1) {
      const byte = chunk[i] ?? 0
      if (byte === NEWLINE) this.line += 1
      if (this.depth > 0) {
        if (this.isEndOfObject(byte)) {
          records.push(this.parse(chunk.subarray(start, i + 1), this.base + start))
          start = -1
        }
      } else if (byte === OPEN) {
        this.enterObject(this.base + i)
        start = i
      } else if (!isSpace(byte)) this.between(byte, this.base + i)
    }
    const from = start === -1 ? chunk.length : start
    this.rest = chunk.slice(from)
    this.resume = this.rest.length
    this.base += from
    if (this.rest.length > DUMP_RECORD_BYTES_MAX) {
      const advice =
        this.state === 'lines' && this.position === 0 ? '; if it contains the list, give only the list' : ''
      throw this.error(
        `token ${this.position} is longer than ${DUMP_RECORD_BYTES_MAX} bytes${advice}`,
        this.base,
      )
    }
    return records
  }

  /** Scans a byte inside an object. Returns whether it ends the object. */
  private isEndOfObject(byte: number): boolean {
    if (this.inString) {
      if (this.escaped) this.escaped = false
      else if (byte === BACKSLASH) this.escaped = true
      else if (byte === QUOTE) this.inString = false
      return false
    }
    if (byte === QUOTE) this.inString = true
    else if (byte === OPEN || byte === OPEN_LIST) this.depth += 1
    else if (byte === CLOSE || byte === CLOSE_LIST) this.depth -= 1
    return this.depth === 0
  }

  private enterObject(byte: number): void {
    if (this.state === 'start') this.state = 'lines'
    if (this.state === 'after-element') throw this.error('expected "," or "]" between two tokens', byte)
    if (this.state === 'end') throw this.error('there is more after the end of the list', byte)
    this.depth = 1
    this.objectLine = this.line
  }

  private between(byte: number, at: number): void {
    const isAfterElement = this.state === 'after-element'
    if (this.state === 'start' && byte === OPEN_LIST) this.state = 'first-element'
    else if (isAfterElement && byte === COMMA) this.state = 'element'
    else if ((isAfterElement || this.state === 'first-element') && byte === CLOSE_LIST) this.state = 'end'
    else throw this.error(this.expectation(), at)
  }

  private expectation(): string {
    if (this.state === 'start') return 'expected a JSON list of legacy tokens, or one object per line'
    if (this.state === 'end') return 'there is more after the end of the list'
    if (this.state === 'after-element') return 'expected "," or "]" between two tokens'
    return `token ${this.position} is not an object`
  }

  private parse(bytes: Uint8Array, byte: number): DumpRecord {
    const position = this.position
    this.position += 1
    if (this.state !== 'lines') this.state = 'after-element'
    let text: string
    try {
      text = this.decoder.decode(bytes)
    } catch {
      throw this.error(`token ${position} is not UTF-8`, byte)
    }
    try {
      return { value: JSON.parse(text), position, byte, line: this.objectLine }
    } catch (error) {
      // The parser's message quotes the text, which may be a secret; use only the position.
      const [, offset] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? []
      throw this.error(`token ${position} is not valid JSON`, byte + Number(offset ?? 0))
    }
  }

  private checkEncoding(chunk: Uint8Array): void {
    const [a, b, c] = chunk
    this.state = 'start'
    if (a === 0xef && b === 0xbb && c === 0xbf) {
      this.resume = MARK_BYTES_MAX
      return
    }
    this.resume = 0
    if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || b === 0 || a === 0) {
      throw this.error('the dump is UTF-16 or UTF-32; convert it to UTF-8 first', 0)
    }
    if (a === 0x1f && b === 0x8b) throw this.error('the dump is compressed; decompress it first', 0)
  }

  private error(message: string, byte: number): DumpSyntaxError {
    return new DumpSyntaxError(message, { byte, line: this.depth > 0 ? this.objectLine : this.line })
  }
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const whole = new Uint8Array(a.length + b.length)
  whole.set(a)
  whole.set(b, a.length)
  return whole
}
