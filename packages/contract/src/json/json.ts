/**
 * Strict JSON reading (decisions: decoding): one value, no duplicate keys, no `__proto__`, bounded depth, exact
 * positions in errors. `JSON.parse` silently keeps the last duplicate.
 */
import { AclError } from '../errors.ts'
import { JSON_DEPTH_MAX, JSON_FIELDS_MAX, JSON_VALUES_MAX } from '../limits.ts'
import { shorten } from '../shared/shorten.ts'
import { ownText } from '../shared/text.ts'

export type Json = string | number | bigint | boolean | null | Json[] | { [key: string]: Json }

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const LONG_INTEGER = /^-?\d{16,}$/
const HEX = /^[0-9a-fA-F]{4}$/
const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
const OPEN_BRACE = 0x7b
const OPEN_BRACKET = 0x5b
const MINUS = 0x2d
const ZERO = 0x30
const NINE = 0x39
const WORDS = [
  ['true', true],
  ['false', false],
  ['null', null],
] as const
/** An object counts as this many values, because its field names also use memory. */
const OBJECT_VALUES = 4
/** Characters that may follow a backslash, besides `u`. */
const ESCAPES = '"\\/bfnrt'

export interface JsonOptions {
  /** A limit below {@link JSON_VALUES_MAX}. */
  readonly valuesMax?: number
  /** For JSON from other services: objects have no prototype, and `__proto__` is an ordinary field name. */
  readonly isForeign?: boolean
  /** Whole numbers that a double would round become bigints. Default: they are rounded. */
  readonly exactIntegers?: boolean
}

/**
 * Reads exactly one JSON value.
 *
 * @throws AclError `body_malformed` with line and column, and the path of the value being read; `field_too_long`
 *   beyond {@link JSON_FIELDS_MAX} or {@link JSON_VALUES_MAX}.
 */
export function parseJson(text: string, options: JsonOptions = {}): Json {
  return new Reader(text, options).document()
}

/** Recursion is bounded by {@link JSON_DEPTH_MAX}, so input cannot exhaust the stack. */
class Reader {
  private readonly text: string
  private at = 0
  private depth = 0
  private readonly path: (string | number)[] = []
  private readonly valuesMax: number
  private readonly isForeign: boolean
  private readonly exactIntegers: boolean
  private valuesLeft: number

  constructor(
    text: string,
    { valuesMax = JSON_VALUES_MAX, isForeign = false, exactIntegers = false }: JsonOptions,
  ) {
    this.text = text
    this.valuesMax = valuesMax
    this.isForeign = isForeign
    this.exactIntegers = exactIntegers
    this.valuesLeft = valuesMax
  }

  document(): Json {
    const value = this.value()
    this.blanks()
    if (this.at < this.text.length) throw this.error('one JSON value was expected, but more follows it')
    return value
  }

  private value(): Json {
    this.blanks()
    const code = this.text.charCodeAt(this.at)
    this.valuesLeft -= code === OPEN_BRACE ? OBJECT_VALUES : 1
    if (this.valuesLeft < 0) throw tooMany('', `${this.valuesMax} values`)
    if (code === QUOTE) return this.string()
    if (code === OPEN_BRACE) return this.object()
    if (code === OPEN_BRACKET) return this.array()
    if (code === MINUS || (code >= ZERO && code <= NINE)) return this.number()
    const word = WORDS.find(([text]) => this.text.startsWith(text, this.at))
    if (word) {
      this.at += word[0].length
      return word[1]
    }
    const char = this.text[this.at]
    const where = 'looking for beginning of value'
    const begun = WORDS.find(([text]) => text[0] === char)
    if (begun) throw this.brokenWord(begun[0])
    if (char === undefined) throw this.error('the text ends where a value was expected', where)
    throw this.error(`unexpected ${JSON.stringify(char)} where a value was expected`, where)
  }

  /** A text that begins like `true`, `false` or `null`. */
  private brokenWord(word: string): AclError {
    const problem = `unexpected ${JSON.stringify(this.text[this.at])} where a value was expected`
    const length = [...word].findIndex((char, at) => this.text[this.at + at] !== char)
    const where = `in literal ${word} (expecting '${word[length]}')`
    return this.error(problem, where, this.at + length)
  }

  private object(): Json {
    const result: { [key: string]: Json } = this.isForeign ? Object.create(null) : {}
    this.open()
    if (this.closes('}')) return result
    for (let left = JSON_FIELDS_MAX; ; left -= 1) {
      if (left === 0) throw tooMany(formatPath(this.path), `${JSON_FIELDS_MAX} fields`)
      this.blanks()
      if (this.text[this.at] !== '"') {
        const where = 'looking for beginning of object key string'
        throw this.error('a field name in double quotes was expected', where)
      }
      const key = this.string()
      if (key === '__proto__' && !this.isForeign) throw this.error('the field name "__proto__" is refused')
      // The cheap check is nearly always sufficient.
      if (result[key] !== undefined && Object.hasOwn(result, key)) {
        throw this.error(`the field ${JSON.stringify(shorten(key))} appears twice`)
      }
      this.expect(':', 'after object key')
      this.path.push(key)
      result[key] = this.value()
      this.path.pop()
      if (this.closes('}')) return result
      this.expect(',', 'after object key:value pair')
    }
  }

  private array(): Json {
    const result: Json[] = []
    this.open()
    if (this.closes(']')) return result
    for (;;) {
      this.path.push(result.length)
      result.push(this.value())
      this.path.pop()
      if (this.closes(']')) return result
      this.expect(',', 'after array element')
    }
  }

  private open(): void {
    this.at += 1
    this.depth += 1
    if (this.depth > JSON_DEPTH_MAX) throw this.error(`nesting is deeper than ${JSON_DEPTH_MAX} levels`)
  }

  private closes(bracket: string): boolean {
    this.blanks()
    if (this.text[this.at] !== bracket) return false
    this.at += 1
    this.depth -= 1
    return true
  }

  private expect(char: string, where: string): void {
    this.blanks()
    if (this.text[this.at] !== char) {
      const found = this.text[this.at]
      throw this.error(
        `${JSON.stringify(char)} was expected, ${found === undefined ? 'the text ends' : `found ${JSON.stringify(found)}`}`,
        where,
      )
    }
    this.at += 1
  }

  private string(): string {
    const { text } = this
    const start = this.at
    let hasEscapes = false
    for (this.at += 1; ; ) {
      const code = text.charCodeAt(this.at)
      if (code === QUOTE) {
        this.at += 1
        // JSON.parse decodes a checked string at once; concatenation would take 32 bytes for each piece.
        return hasEscapes
          ? JSON.parse(text.slice(start, this.at))
          : this.own(text.slice(start + 1, this.at - 1))
      }
      if (code === BACKSLASH) {
        this.skipEscape()
        hasEscapes = true
      } else if (code >= SPACE) {
        this.at += 1
      } else {
        // Past the end of the text, `code` is NaN.
        throw this.error(
          this.at < text.length
            ? 'a control character inside a string must be escaped'
            : 'the text ends inside a string',
          'in string literal',
        )
      }
    }
  }

  /** Copies a value, because records outlive their body, unless it is most of the body. */
  private own(value: string): string {
    return value.length * 2 > this.text.length ? value : ownText(value)
  }

  private skipEscape(): void {
    const letter = this.text[this.at + 1] ?? ''
    if (letter === 'u') {
      if (!HEX.test(this.text.slice(this.at + 2, this.at + 6))) {
        throw this.error('four hexadecimal digits were expected after \\u')
      }
      this.at += 6
      return
    }
    if (letter === '' || !ESCAPES.includes(letter)) throw this.error('unknown escape in a string')
    this.at += 2
  }

  private number(): number | bigint {
    NUMBER.lastIndex = this.at
    const digits = NUMBER.exec(this.text)?.[0]
    if (digits === undefined) throw this.error('a number was expected')
    this.at += digits.length
    const value = Number(digits)
    if (this.exactIntegers && LONG_INTEGER.test(digits) && !Number.isSafeInteger(value)) return BigInt(digits)
    if (!Number.isFinite(value)) throw this.error('the number is out of range')
    return value
  }

  private blanks(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
      this.at += 1
    }
  }

  private error(problem: string, where?: string, foundAt = this.at): AclError {
    const before = this.text.slice(0, this.at)
    const line = before.split('\n').length
    const column = this.at - (before.lastIndexOf('\n') + 1) + 1
    const field = formatPath(this.path)
    const place = `line ${line}, column ${column}${field === '' ? '' : `, in ${field}`}`
    return new AclError('body_malformed', `The body is not valid JSON: ${problem} (${place})`, {
      line,
      column,
      ...(where === undefined ? {} : { syntax: { found: this.text[foundAt], where } }),
      ...(field === '' ? {} : { field }),
    })
  }
}

function tooMany(field: string, most: string): AclError {
  const details = field === '' ? {} : { field }
  return new AclError('field_too_long', `${field || 'The body'} must have at most ${most}`, details)
}

/** Formats `['Policies', 0, 'Foo']` as `Policies[0].Foo`. Truncates names, which may be any text. */
export function formatPath(path: readonly PropertyKey[]): string {
  let text = ''
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`
    else text += `${text === '' ? '' : '.'}${shorten(String(step))}`
  }
  return shorten(text, PATH_LENGTH_MAX)
}

/** Maximum characters of a path in an error. */
const PATH_LENGTH_MAX = 256
