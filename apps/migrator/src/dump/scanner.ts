/**
 * Cuts a stream of bytes into JSON objects: the elements of one array, or objects one after the other (NDJSON). Works
 * on bytes and holds one object at a time, so that a dump may be larger than the memory. What an object says is never
 * part of an error: it may be a secret.
 */
import { isUtf8 } from 'node:buffer'
import { EXIT, InputError } from '../errors.ts'

/** Longest text of one token, in bytes: rules have at most half a megabyte. */
export const OBJECT_BYTES_MAX = 4 * 1024 * 1024

/** One object of the dump, parsed, and where it stands. */
export interface DumpRecord {
  readonly value: unknown
  /** From 0. */
  readonly position: number
  /** Offset of its first byte. */
  readonly byte: number
  /** From 1. */
  readonly line: number
}

type State = 'start' | 'first-element' | 'element' | 'after-element' | 'end' | 'lines'

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

export class DumpScanner {
  readonly #file: string
  #state: State = 'start'
  #position = 0
  /** Offset of the first byte of the current chunk, what is left of the last one included. */
  #base = 0
  #line = 1
  #rest: Buffer = Buffer.alloc(0)
  #depth = 0
  #inString = false
  #escaped = false
  #objectLine = 1
  /** Where to go on in the rest: what stands before was looked at. */
  #resume = 0

  constructor(file: string) {
    this.#file = file
  }

  /** Takes the next bytes and hands out the objects that are complete with them. */
  push(bytes: Uint8Array): DumpRecord[] {
    const chunk =
      this.#rest.length === 0
        ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
        : Buffer.concat([this.#rest, bytes])
    if (this.#base === 0 && this.#state === 'start') this.#refuseEncodings(chunk)
    const records: DumpRecord[] = []
    let start = this.#depth > 0 ? 0 : -1
    let i = this.#resume
    for (; i < chunk.length; i++) {
      const byte = chunk[i] ?? 0
      if (byte === NEWLINE) this.#line += 1
      if (this.#depth > 0) {
        if (this.#inString) {
          if (this.#escaped) this.#escaped = false
          else if (byte === BACKSLASH) this.#escaped = true
          else if (byte === QUOTE) this.#inString = false
        } else if (byte === QUOTE) this.#inString = true
        else if (byte === OPEN || byte === OPEN_LIST) this.#depth += 1
        else if (byte === CLOSE || byte === CLOSE_LIST) {
          this.#depth -= 1
          if (this.#depth === 0) {
            records.push(this.#parse(chunk.subarray(start, i + 1), this.#base + start))
            start = -1
          }
        }
      } else if (byte === OPEN) {
        this.#enterObject(this.#base + i)
        start = i
      } else if (!isSpace(byte)) this.#between(byte, this.#base + i)
    }
    const from = start === -1 ? chunk.length : start
    this.#rest = chunk.subarray(from)
    this.#resume = this.#rest.length
    this.#base += from
    if (this.#rest.length > OBJECT_BYTES_MAX) {
      throw this.#error(`token ${this.#position} is longer than ${OBJECT_BYTES_MAX} bytes`, this.#base)
    }
    return records
  }

  /** There are no more bytes. @throws InputError where the dump is cut off, or empty. */
  end(): void {
    if (this.#depth > 0) {
      throw this.#error(`the dump is cut off inside token ${this.#position}, which begins here`, this.#base)
    }
    if (this.#state === 'start') throw this.#error('the dump is empty', 0)
    if (this.#state !== 'end' && this.#state !== 'lines') {
      throw this.#error(
        `the dump is cut off after token ${this.#position - 1}: the list is not closed`,
        this.#base,
      )
    }
  }

  /** How many objects there were so far. */
  get count(): number {
    return this.#position
  }

  #enterObject(byte: number): void {
    if (this.#state === 'start') this.#state = 'lines'
    if (this.#state === 'after-element') throw this.#error('expected "," or "]" between two tokens', byte)
    if (this.#state === 'end') throw this.#error('there is more after the end of the list', byte)
    this.#depth = 1
    this.#objectLine = this.#line
  }

  #between(byte: number, at: number): void {
    if (this.#state === 'start' && byte === OPEN_LIST) this.#state = 'first-element'
    else if (this.#state === 'after-element' && byte === COMMA) this.#state = 'element'
    else if ((this.#state === 'after-element' || this.#state === 'first-element') && byte === CLOSE_LIST) {
      this.#state = 'end'
    } else throw this.#error(this.#expectation(), at)
  }

  #expectation(): string {
    if (this.#state === 'start') return 'expected a JSON list of legacy tokens, or one object per line'
    if (this.#state === 'end') return 'there is more after the end of the list'
    if (this.#state === 'after-element') return 'expected "," or "]" between two tokens'
    return `token ${this.#position} is not an object`
  }

  #parse(bytes: Buffer, byte: number): DumpRecord {
    const position = this.#position++
    if (this.#state !== 'lines') this.#state = 'after-element'
    if (!isUtf8(bytes)) throw this.#error(`token ${position} is not UTF-8`, byte)
    try {
      return { value: JSON.parse(bytes.toString('utf8')), position, byte, line: this.#objectLine }
    } catch (error) {
      // The message of the parser quotes the text, which may be a secret: only its number is used.
      const [, offset] = /position (\d+)/.exec(error instanceof Error ? error.message : '') ?? []
      throw this.#error(`token ${position} is not valid JSON`, byte + Number(offset ?? 0))
    }
  }

  #refuseEncodings(chunk: Buffer): void {
    const [a, b, c] = chunk
    if (a === 0xef && b === 0xbb && c === 0xbf) {
      this.#resume = 3
      return
    }
    if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || b === 0 || a === 0) {
      throw this.#error('the dump is UTF-16 or UTF-32; convert it to UTF-8 first', 0)
    }
    if (a === 0x1f && b === 0x8b) throw this.#error('the dump is compressed; decompress it first', 0)
  }

  #error(message: string, byte: number): InputError {
    return new InputError(message, {
      place: { file: this.#file, line: this.#depth > 0 ? this.#objectLine : this.#line, byte },
      exitCode: EXIT.failed,
    })
  }
}

function isSpace(byte: number): boolean {
  return byte === SPACE || byte === NEWLINE || byte === RETURN || byte === TAB
}
