import { isIP } from 'node:net'
import { DurationSyntaxError, formatDurationMs, parseDurationMs } from '@latchkey/contract'

/** One setting of the server: an environment variable and its description. */
export interface Setting<T> {
  /** The variable's name. */
  readonly env: string
  /** What it does, in one line. */
  readonly doc: string
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

/** What every kind of setting is made from. */
interface Base<T> {
  readonly env: string
  readonly doc: string
  readonly fallback: T
  /** Describes the fallback if its value does not, such as "the host's name". */
  readonly fallbackText?: string
  readonly isSecret?: boolean
}

function setting<T>(base: Base<T>, accepts: string, parse: (text: string) => NonNullable<T>): Setting<T> {
  const { fallback } = base
  const fallbackText = base.fallbackText ?? (fallback === undefined ? '' : String(fallback))
  return { ...base, fallbackText, isSecret: base.isSecret ?? false, accepts, parse }
}

/** Any text; with a pattern, only text that matches it, which `accepts` describes. */
export function text<T extends string | undefined>(
  base: Base<T> & { readonly accepts: string; readonly pattern?: RegExp },
): Setting<T | string> {
  return setting<T | string>(base, base.accepts, (value) => {
    if (base.pattern !== undefined && !base.pattern.test(value))
      throw new SettingError('has the wrong format')
    return value
  })
}

export function integer<T extends number | undefined>(
  base: Base<T> & { readonly min: number; readonly max: number },
): Setting<T | number> {
  const { min, max } = base
  return setting<T | number>(base, `a whole number from ${min} to ${max}`, (value) => {
    if (!/^\d+$/.test(value)) throw new SettingError('is not a whole number')
    const number = Number(value)
    if (number < min || number > max) throw new SettingError('is out of bounds')
    return number
  })
}

export function choice<const C extends readonly string[]>(
  base: Base<C[number]> & { readonly choices: C },
): Setting<C[number]> {
  return setting<C[number]>(
    base,
    `one of ${base.choices.map((name) => `\`${name}\``).join(', ')}`,
    (value) => {
      const chosen = base.choices.find((name) => name === value)
      if (chosen === undefined) throw new SettingError('is not an accepted value')
      return chosen
    },
  )
}

const SWITCH_WORDS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['on', true],
  ['1', true],
  ['false', false],
  ['off', false],
  ['0', false],
])

/** True or false. `fallbackText` determines which word the table shows. */
export function flag(base: Base<boolean>): Setting<boolean> {
  const fallbackText = base.fallback ? 'on' : 'off'
  return setting({ fallbackText, ...base }, '`on` or `off` (`true`, `false`, `1`, `0`)', (value) => {
    const isOn = SWITCH_WORDS.get(value.toLowerCase())
    if (isOn === undefined) throw new SettingError('is not on or off')
    return isOn
  })
}

/** Milliseconds, written as a duration. */
export function duration(
  base: Base<number> & { readonly minMs: number; readonly maxMs: number; readonly isInSeconds?: boolean },
): Setting<number> {
  const { minMs, maxMs, isInSeconds } = base
  const accepts = `a duration from ${formatDurationMs(minMs)} to ${formatDurationMs(maxMs)}, such as \`10s\` or \`1m30s\``
  return setting({ fallbackText: formatDurationMs(base.fallback), ...base }, accepts, (value) => {
    const ms = parseDuration(value)
    if (ms < minMs || ms > maxMs) throw new SettingError('is out of bounds')
    if (isInSeconds && ms % 1_000 !== 0) throw new SettingError('is not in whole seconds')
    return ms
  })
}

function parseDuration(value: string): number {
  try {
    return parseDurationMs(value)
  } catch (error) {
    if (error instanceof DurationSyntaxError) throw new SettingError('is not a duration')
    throw error
  }
}

const SIZE_UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
])

/** Bytes, written as a number with an optional unit. */
export function size(base: Base<number> & { readonly maxBytes: number }): Setting<number> {
  const max = `${base.maxBytes / 1024 ** 3}GiB`
  const accepts = `a number of bytes up to ${max}, optionally with \`KiB\`, \`MiB\` or \`GiB\``
  return setting(base, accepts, (value) => {
    const [, digits, unit] = /^(\d+) ?(\w*)$/.exec(value) ?? []
    const scale = SIZE_UNITS.get(unit ?? '')
    if (digits === undefined || scale === undefined) throw new SettingError('is not a size')
    const bytes = Number(digits) * scale
    if (bytes > base.maxBytes) throw new SettingError('is out of bounds')
    return bytes
  })
}

/**
 * Comma-separated parts that must differ in more than case; spaces around them are ignored. `accepts` describes a part.
 */
export function list(
  base: Base<readonly string[]> & {
    readonly accepts: string
    readonly isPart: (part: string) => boolean
    /** Whether the parts are read in lower case, as host names are. Default: as they are written. */
    readonly isCaseless?: boolean
  },
): Setting<readonly string[]> {
  return setting({ fallbackText: base.fallback.join(','), ...base }, base.accepts, (value) => {
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
  base: Base<string | undefined> & { readonly accepts: string; readonly schemes: readonly string[] },
): Setting<string | undefined> {
  return setting<string | undefined>(base, base.accepts, (value) => {
    const parsed = URL.parse(value) ?? URL.parse(withHost(value))
    if (parsed === null) throw new SettingError('is not a URL')
    if (!base.schemes.includes(parsed.protocol.slice(0, -1))) throw new SettingError('has the wrong scheme')
    if (base.isSecret !== true && parsed.username + parsed.password !== '') {
      throw new SettingError('must not contain a user or password')
    }
    return value
  })
}

/** The URL of a database on a socket has credentials but no host, which only database clients accept. */
function withHost(value: string): string {
  return value.replace('@/', '@localhost/')
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
  return (
    part === '*' ||
    isIP(part) !== 0 ||
    /^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i.test(part)
  )
}

/** An origin as browsers send it: scheme, host and any non-default port; or `*` for all. */
export function isOrigin(part: string): boolean {
  return part === '*' || (/^https?:/.test(part) && URL.parse(part)?.origin === part)
}

/** A setting with its own parser. */
export function custom<T>(
  base: Base<T> & { readonly accepts: string; readonly parse: (text: string) => NonNullable<T> },
) {
  return setting<T>(base, base.accepts, base.parse)
}
