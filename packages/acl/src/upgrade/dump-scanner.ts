/**
 * Splits the bytes of a legacy token list into records: the elements of one JSON array, or NDJSON. Buffers one object
 * at a time, so a list may be larger than memory. Errors never quote an object, because it may contain secrets.
 */

/** Maximum bytes of one token, whose rules have at most half a megabyte. */
export const DUMP_RECORD_BYTES_MAX = 4 * 1024 * 1024

export interface DumpRecord {
  readonly value: object
  readonly position: number
  readonly byte: number
  readonly line: number
}

/** The bytes are truncated, not UTF-8, or not a JSON list. */
export class DumpSyntaxError extends Error {
  override readonly name = 'DumpSyntaxError'
  readonly byte: number
  readonly line: number
  constructor(message: string, { byte, line }: { readonly byte: number; readonly line: number }) {
    super(message)
    this.byte = byte
    this.line = line
  }
}

type State = 'start' | 'first-element' | 'element' | 'after-element' | 'end' | 'lines'

/** What each character between objects leads to; `{` begins an object, after which the state applies. */
const NEXT: Readonly<Record<State, Readonly<Record<string, State>>>> = {
  start: { '[': 'first-element', '{': 'lines' },
  'first-element': { '{': 'after-element', ']': 'end' },
  element: { '{': 'after-element' },
  'after-element': { ',': 'element', ']': 'end' },
  end: {},
  lines: { '{': 'lines' },
}

const NEWLINE = 0x0a
const QUOTE = 0x22
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf]
const BLANKS = ' \n\r\t'
const NOT_UTF8: readonly number[] = [0x00, 0xfe, 0xff]
const GZIP = 0x1f

export class DumpScanner {
  private readonly decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  private state: State = 'start'
  private position = 0
  /** The beginning of an unfinished object. */
  private rest: Uint8Array = new Uint8Array(0)
  /** Offset of {@link DumpScanner.rest}, or of the next byte. */
  private base = 0
  private line = 1
  private depth = 0
  private inString = false
  private escaped = false
  private objectLine = 1

  /** Accepts the next bytes and returns the objects that they complete. */
  push(bytes: Uint8Array): DumpRecord[] {
    const { rest, base } = this
    const chunk = rest.length === 0 ? bytes : joined(rest, bytes)
    const records: DumpRecord[] = []
    let start = this.depth > 0 ? 0 : chunk.length
    for (let i = rest.length; i < chunk.length; i += 1) {
      const byte = chunk[i] ?? 0
      if (byte === NEWLINE) this.line += 1
      if (this.depth === 0) {
        this.between(byte, base + i)
        if (this.depth > 0) start = i
      } else if (this.isEndOfObject(byte)) {
        records.push(this.parse(chunk.subarray(start, i + 1), base + start))
        start = chunk.length
      }
    }
    this.rest = chunk.slice(start)
    this.base = base + start
    if (this.rest.length > DUMP_RECORD_BYTES_MAX) {
      const isOne = this.state === 'lines' && this.position === 0
      const advice = isOne ? '; if it contains the list, give only the list' : ''
      const message = `token ${this.position} is longer than ${DUMP_RECORD_BYTES_MAX} bytes${advice}`
      throw this.error(message, this.base)
    }
    return records
  }

  end(): void {
    if (this.depth > 0) {
      throw this.error(`the dump is cut off inside token ${this.position}, which begins here`, this.base)
    }
    if (this.state === 'start') throw this.error('the dump is empty', 0)
    if (this.state === 'end' || this.state === 'lines') return
    const after = this.position === 0 ? 'at its start' : `after token ${this.position - 1}`
    throw this.error(`the dump is cut off ${after}: the list is not closed`, this.base)
  }

  /** Whether the objects follow each other without a list (NDJSON). */
  get isLines(): boolean {
    return this.state === 'lines'
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

  private between(byte: number, at: number): void {
    const character = String.fromCharCode(byte)
    if (BLANKS.includes(character) || (this.state === 'start' && byte === BYTE_ORDER_MARK[at])) return
    const next = NEXT[this.state][character]
    if (next === undefined) throw this.error(this.expectation(byte), at)
    this.state = next
    if (byte !== OPEN) return
    this.depth = 1
    this.objectLine = this.line
  }

  private expectation(byte: number): string {
    if (this.position === 0 && NOT_UTF8.includes(byte)) {
      return 'the dump is UTF-16 or UTF-32; convert it to UTF-8 first'
    }
    if (this.state === 'start') {
      return byte === GZIP
        ? 'the dump is compressed; decompress it first'
        : 'expected a JSON list of legacy tokens, or one object per line'
    }
    if (this.state === 'end') return 'there is more after the end of the list'
    if (this.state === 'after-element') return 'expected "," or "]" between two tokens'
    return `token ${this.position} is not an object`
  }

  private parse(bytes: Uint8Array, byte: number): DumpRecord {
    const position = this.position
    this.position += 1
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

  private error(message: string, byte: number): DumpSyntaxError {
    return new DumpSyntaxError(message, { byte, line: this.depth > 0 ? this.objectLine : this.line })
  }
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const whole = new Uint8Array(a.length + b.length)
  whole.set(a)
  whole.set(b, a.length)
  return whole
}
