/** Values for display: text if the bytes are UTF-8. */
import { type KVEntry, valueBytes } from '@latchkey/sdk'

/** The text of a value; `undefined` if its bytes are not UTF-8. */
export function textOf(entry: Pick<KVEntry, 'Value'>): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(valueBytes(entry))
  } catch {
    return undefined
  }
}

const SIZES = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** `512 bytes`, `1.5 KiB`. */
export function sizeOf(entry: Pick<KVEntry, 'Value'>): string {
  const bytes = valueBytes(entry).length
  return bytes < 1_024 ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}` : `${SIZES.format(bytes / 1_024)} KiB`
}

/** The value, with JSON formatted over several lines; other values are unchanged. */
export function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

const LINE_END = /\r\n?|\n/g

/** The text as a text area returns it: every line ends with `\n`. */
export function unified(text: string): string {
  return text.replace(LINE_END, '\n')
}

/** Gives typed text the line endings of the stored text: unchanged lines keep theirs, a new one ends like the line before. */
export function withEndingsOf(stored: string, typed: string): string {
  const endings = stored.match(LINE_END) ?? []
  const before = unified(stored)
  const shorter = Math.min(before.length, typed.length)
  let head = 0
  while (head < shorter && before[head] === typed[head]) head += 1
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === typed.at(-1 - tail)) tail += 1
  const count = endsIn(typed)
  const first = endsIn(typed.slice(0, head))
  const rest = count - endsIn(typed.slice(typed.length - tail))
  let at = -1
  return typed.replaceAll('\n', () => {
    at += 1
    const old = at < first ? at : at < rest ? Math.max(0, first - 1) : endings.length - count + at
    return endings[old] ?? '\n'
  })
}

function endsIn(text: string): number {
  return text.split('\n').length - 1
}
