/**
 * How work grows with its input. Measured by the processor time of this thread, so that a busy machine changes nothing,
 * and relative to a smaller input, so that a slow one does not either.
 */

/** How much longer the larger input is. */
const FACTOR = 8
const RUNS = 5
/** Shorter work measures mostly the clock and the compiler, in milliseconds. */
const WORK_MS_MIN = 0.5

/** The largest growth of linear work over {@link FACTOR} times the input: quadratic work grows by 64. */
export const LINEAR_GROWTH_MAX = 32

/**
 * How many times longer work takes for an input of the size than for an eighth of it.
 *
 * @param prepare makes the input, which is not measured.
 */
export function growthOf<T>(size: number, prepare: (size: number) => T, work: (input: T) => void): number {
  const [small, large] = [size / FACTOR, size].map((length) => {
    const input = prepare(length)
    // The median: the kernel charges short work by samples, so the least of several runs can be far too little.
    const runs = Array.from({ length: RUNS }, () => processorMs(() => work(input)))
    return runs.sort((a, b) => a - b)[Math.floor(RUNS / 2)]
  }) as [number, number]
  return large / Math.max(small, WORK_MS_MIN)
}

function processorMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
