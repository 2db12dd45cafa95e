import { isIP } from 'node:net'
import { DurationSyntaxError, formatDurationMs, parseDurationMs } from '@latchkey/contract'

/** One setting of the server: an environment variable, described in docs/configuration.md. */
export interface Setting<T> {
  readonly env: string
  /** The accepted form, in words that end the sentence "write …". */
  readonly accepts: string
  /** The value when the variable is unset or empty. */
  readonly fallback: T
  /** The fallback as an operator would write it; empty if there is none. */
  readonly fallbackText: string
  /** A secret is never printed, neither the value in force nor a bad one. */
  readonly isSecret: boolean
  /** @throws SettingError saying what is wrong with the text, without quoting it. */
  readonly parse: (text: string) => T
}

/** What is wrong with a value, as a phrase that follows the value: "is not a whole number". */
export class SettingError extends Error {
  override readonly name = 'SettingError'
}

interface Base<T> {
  readonly env: string
  readonly fallback?: T
  /** Describes the fallback if its value does not, such as "the host's name". */
  readonly fallbackText?: string
  readonly isSecret?: boolean
}

interface Described<T> extends Base<T> {
  readonly accepts: string
}

/** A setting with its own parser. */
export function custom<T>(base: Described<T>, parse: (text: string) => NonNullable<T>): Setting<T> {
  const { env, fallback, isSecret = false, accepts } = base
  const fallbackText = base.fallbackText ?? String(fallback ?? '')
  return { env, accepts, fallback: fallback as T, fallbackText, isSecret, parse }
}

/** Any text; with a pattern, only text that matches it, which `accepts` describes. */
export function text<T extends string | undefined = undefined>(
  base: Described<T> & { readonly pattern?: RegExp },
): Setting<T | string> {
  return custom<T | string>(base, (value) => {
    if (base.pattern?.test(value) === false) throw new SettingError('has the wrong format')
    return value
  })
}

export function integer<T extends number | undefined = undefined>(
  base: Base<T> & { readonly min: number; readonly max: number },
): Setting<T | number> {
  const { min, max } = base
  return custom<T | number>({ ...base, accepts: `a whole number from ${min} to ${max}` }, (value) => {
    if (!/^\d+$/.test(value)) throw new SettingError('is not a whole number')
    return within(Number(value), min, max)
  })
}

function within(number: number, min: number, max: number): number {
  if (number < min || number > max) throw new SettingError('is out of bounds')
  return number
}

export function choice<const C extends readonly string[]>(
  base: Base<C[number]> & { readonly choices: C },
): Setting<C[number]> {
  const accepts = `one of ${base.choices.map((name) => `\`${name}\``).join(', ')}`
  return custom<C[number]>({ ...base, accepts }, (value) => {
    if (!base.choices.includes(value)) throw new SettingError('is not an accepted value')
    return value
  })
}

export function flag(base: Base<boolean>): Setting<boolean> {
  const fallbackText = base.fallback ? 'on' : 'off'
  const accepts = '`on` or `off` (`true`, `false`, `1`, `0`)'
  return custom({ fallbackText, accepts, ...base }, (value) => {
    if (/^(true|on|1)$/i.test(value)) return true
    if (/^(false|off|0)$/i.test(value)) return false
    throw new SettingError('is not on or off')
  })
}

/** Milliseconds, written as a duration. */
export function duration(
  base: Base<number> & { readonly fallback: number; readonly maxMs: number; readonly isInSeconds?: boolean },
): Setting<number> {
  const accepts = `a duration from ${formatDurationMs(0)} to ${formatDurationMs(base.maxMs)}, such as \`10s\` or \`1m30s\``
  return custom({ fallbackText: formatDurationMs(base.fallback), accepts, ...base }, (value) => {
    const ms = within(
      attempt(parseDurationMs, value, DurationSyntaxError, 'is not a duration'),
      0,
      base.maxMs,
    )
    if (base.isInSeconds && ms % 1_000 !== 0) throw new SettingError('is not in whole seconds')
    return ms
  })
}

/** Parses a value. @throws SettingError with the problem, if the parser throws an error of this class. */
export function attempt<T>(
  parse: (value: string) => T,
  value: string,
  expected: new (...args: never[]) => Error,
  problem: string | ((error: Error) => string),
): T {
  try {
    return parse(value)
  } catch (error) {
    if (!(error instanceof expected)) throw error
    throw new SettingError(typeof problem === 'string' ? problem : problem(error))
  }
}

const SIZE_UNITS: Readonly<Record<string, number>> = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** Bytes, written as a number with an optional unit. */
export function size(base: Base<number> & { readonly maxBytes: number }): Setting<number> {
  const max = `${base.maxBytes / 1024 ** 3}GiB`
  const accepts = `a number of bytes up to ${max}, optionally with \`KiB\`, \`MiB\` or \`GiB\``
  return custom({ ...base, accepts }, (value) => {
    const [, digits, unit = ''] = /^(\d+) ?([KMG]iB)?$/.exec(value) ?? []
    if (digits === undefined) throw new SettingError('is not a size')
    return within(Number(digits) * (SIZE_UNITS[unit] ?? 1), 0, base.maxBytes)
  })
}

/** Comma-separated parts that must differ in more than case. `accepts` describes a part. */
export function list(
  base: Described<readonly string[]> & {
    readonly isPart: (part: string) => boolean
    /** Whether the parts are read in lower case, as host names are. Default: as they are written. */
    readonly isCaseless?: boolean
  },
): Setting<readonly string[]> {
  const { fallback = [] } = base
  return custom({ fallbackText: fallback.join(','), ...base, fallback }, (value) => {
    const text = base.isCaseless ? value.toLowerCase() : value
    const parts = text.split(',').map((part) => part.trim())
    if (!parts.every(base.isPart)) throw new SettingError('has a part with the wrong format')
    const names = new Set(parts.map((part) => part.toLowerCase()))
    if (names.size !== parts.length) throw new SettingError('contains a duplicate')
    return parts
  })
}

/** An absolute URL of one of the schemes, without a fragment. */
export function url(
  base: Described<string | undefined> & { readonly schemes: readonly string[] },
): Setting<string | undefined> {
  return custom<string | undefined>(base, (value) => {
    // The URL of a database on a socket has credentials but no host, which only database clients accept.
    const parsed = URL.parse(value) ?? URL.parse(value.replace('@/', '@localhost/'))
    if (parsed === null) throw new SettingError('is not a URL')
    if (!base.schemes.includes(parsed.protocol.slice(0, -1))) throw new SettingError('has the wrong scheme')
    if (base.isSecret !== true && parsed.username + parsed.password !== '') {
      throw new SettingError('must not contain a user or password')
    }
    return value
  })
}

/** An IP address, or a range of them as address/bits. */
export function isAddressRange(part: string): boolean {
  const [address = '', bits, ...rest] = part.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** A host name, an IP address, or `*` for all. */
export function isHost(part: string): boolean {
  const isName = /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(part)
  return part === '*' || isIP(part) !== 0 || isName
}

/** An origin as browsers send it: scheme, host and any non-default port; or `*` for all. */
export function isOrigin(part: string): boolean {
  return part === '*' || (/^https?:/.test(part) && URL.parse(part)?.origin === part)
}
