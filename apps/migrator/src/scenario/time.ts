/** Times of a scenario: seconds in the file and in the output, whole milliseconds inside. */
import { parseDurationMs } from '@latchkey/contract'

/** Reads seconds (`12.5`, `"12.5"`) or a duration in Go notation (`90s`, `1h30m`) to whole milliseconds. */
export function toMs(given: number | string): number {
  if (typeof given === 'number') return Math.round(given * 1_000)
  return Math.round(/^[\d.]+$/.test(given) ? Number(given) * 1_000 : parseDurationMs(given))
}

export function toSeconds(ms: number): number {
  return ms / 1_000
}

/** Formats a time for people: `25.55 s`, `1 min 21 s`, `2 h 10 min`. Exact below one minute. */
export function formatSeconds(ms: number): string {
  if (ms < 60_000) return `${toSeconds(ms)} s`
  const seconds = Math.round(ms / 1_000)
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor((seconds % 86_400) / 3_600)
  const minutes = Math.floor((seconds % 3_600) / 60)
  if (days > 0) return `${days} d ${hours} h`
  if (hours > 0) return `${hours} h ${minutes} min`
  return seconds % 60 === 0 ? `${minutes} min` : `${minutes} min ${seconds % 60} s`
}

/** Formats a measured time: to 10 ms below one minute. */
export function formatMeasured(ms: number): string {
  return formatSeconds(Math.round(ms / 10) * 10)
}

export function formatTime(seconds: number): string {
  return formatSeconds(Math.round(seconds * 1_000))
}

/** `from 45 s to 3 min`, or `at 8 min 21 s` if both ends have the same text. */
export function spanOf<T>(from: T, to: T, show: (time: T) => string): string {
  const [start, end] = [show(from), show(to)]
  return start === end ? `at ${start}` : `from ${start} to ${end}`
}

/** `45 s to 3 min`, or `8 min 21 s` if both ends have the same text. */
export function windowText<T>(from: T, to: T, show: (time: T) => string): string {
  const [start, end] = [show(from), show(to)]
  return start === end ? start : `${start} to ${end}`
}

const DAY_SECONDS = 86_400

export type Clock = (ms: number) => string

/** @param startsAt seconds after midnight: `22:03:21`, on a later day `00:10:05 (+1 day)`; undefined: `3 min 21 s`. */
export function clockFrom(startsAt: number | undefined): Clock {
  if (startsAt === undefined) return formatSeconds
  return (ms) => {
    const all = startsAt + Math.round(ms / 1_000)
    const days = Math.floor(all / DAY_SECONDS)
    const seconds = all % DAY_SECONDS
    const parts = [seconds / 3_600, (seconds % 3_600) / 60, seconds % 60]
    const text = parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join(':')
    return days === 0 ? text : `${text} (+${days} ${days === 1 ? 'day' : 'days'})`
  }
}
