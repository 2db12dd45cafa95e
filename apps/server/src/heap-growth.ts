import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Enough for what requests in flight leave behind: without the bound, creates and self reads were not faster. */
const YOUNG_BYTES_MAX = 33_554_432
const LOOK_EACH_MS = 100

/** Maximum garbage as a percentage of live objects. V8 itself chooses up to 300 under load. */
const GARBAGE_PERCENT = 50

/**
 * Bounds the growth of the heap: its garbage by {@link GARBAGE_PERCENT}, and its young generation at about 32 MiB. In a
 * burst, such as thousands of clients that begin to wait, V8 quadruples the young generation and never shrinks it: 8 KiB
 * for each of 10,000 waiters. The option, `--max-semi-space-size`, otherwise works only on the command line.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`)
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    if (!young || young.space_size < YOUNG_BYTES_MAX) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, LOOK_EACH_MS)
  timer.unref()
}
