/** Values of the past minutes, for charts. The server keeps none: a chart begins when its page is opened. */

export interface Sample<T> {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly value: T
}

/** A value, and what it was before: the newest last, which is the value itself. */
export interface Sampled<T> {
  readonly value: T
  readonly samples: readonly Sample<T>[]
}

/** At one value a second, ten minutes at full detail. */
const SAMPLES_MAX = 600

/** Adds a value. Beyond {@link SAMPLES_MAX} every second sample is dropped, so that the first one stays for hours. */
export function sampled<T>(before: Sampled<T> | undefined, value: T, at = Date.now()): Sampled<T> {
  const samples = before?.samples ?? []
  const kept = samples.length < SAMPLES_MAX ? samples : samples.filter((_, i) => i % 2 === 0)
  return { value, samples: [...kept, { at, value }] }
}
