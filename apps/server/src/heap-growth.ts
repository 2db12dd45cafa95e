import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Enough for what requests in flight leave behind: without the bound, creates and self reads were not faster. */
const YOUNG_BYTES_MAX = 33_554_432
const LOOK_EACH_MS = 100

/** How much garbage may come on top of what is alive, in percent. V8's own choice is up to 300 under load. */
const GARBAGE_PERCENT = 50

/**
 * Bounds the growth of the heap: what is garbage, by {@link GARBAGE_PERCENT}, and the part where objects are young, at about
 * 32 MiB. V8 lets a burst of requests, such as thousands of clients that begin to wait, quadruple that part, and never gives
 * it back: 8 KiB for each of 10,000 waiters. The option for it, `--max-semi-space-size`, has to stand on the command line,
 * and nobody writes it there.
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
