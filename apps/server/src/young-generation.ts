import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Enough for what requests in flight leave behind: without the bound, creates and self reads were not faster. */
const BYTES_MAX = 33_554_432
const LOOK_EACH_MS = 100

/**
 * Ends the growth of the part of the heap where objects are young at about 32 MiB. V8 lets a burst of requests, such as
 * thousands of clients that begin to wait, quadruple that, and never gives it back: 8 KiB for each of 10,000 waiters.
 * The option for it, `--max-semi-space-size`, has to stand on the command line, and nobody writes it there.
 */
export function limitYoungGeneration(): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    if (!young || young.space_size < BYTES_MAX) return
    setFlagsFromString('--semi-space-growth-factor=1')
    clearInterval(timer)
  }, LOOK_EACH_MS)
  timer.unref()
}
