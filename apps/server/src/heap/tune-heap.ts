import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Enough for the garbage of requests in flight: without a limit, creates and self reads were not faster. */
const YOUNG_BYTES_MAX = 33_554_432
/** Each of several workers has fewer requests in flight. A self read costs the same. */
const YOUNG_BYTES_MAX_OF_WORKER = 16_777_216
/** V8's default. */
const YOUNG_GROWTH_FACTOR = 2

/** Maximum garbage as a percentage of live objects. V8 itself chooses up to 300 under load. */
const GARBAGE_PERCENT = 50

/**
 * Collects the young generation in one thread. V8's helper threads compete for the cores that other workers, PostgreSQL
 * and clients keep busy, and a collection waits for the slowest of them: with more work than cores, a create took 127
 * µs of processor time with them and 108 without (`bench/README.md`).
 *
 * Allocates every object in the young generation. Where objects lived long, V8 allocates later ones in the old
 * generation (pretenuring). Requests live long in a burst of writes that wait for their commit: each later request was
 * then garbage in the old generation, and kept what it refers to until the next full collection. A self read took 31 µs
 * before such a burst, and 56 after.
 *
 * Limits the growth of the heap: its garbage by {@link GARBAGE_PERCENT}, and its young generation at about 32 MiB, or
 * half of it in one of several workers. In a burst, such as thousands of clients that begin to wait, V8 quadruples the
 * young generation: 8 KiB for each of 10,000 waiters. The option, `--max-semi-space-size`, otherwise works only on the
 * command line.
 *
 * V8 shrinks the young generation of an idle process to 2 MiB, so it must be allowed to grow again: with 2 MiB, all
 * requests in flight are copied so often that they cost half as much again. It grows only in collections, so a check
 * after each collection is enough.
 */
export function tuneHeap({ isWorker = false }: { readonly isWorker?: boolean } = {}): void {
  const youngBytesMax = isWorker ? YOUNG_BYTES_MAX_OF_WORKER : YOUNG_BYTES_MAX
  setFlagsFromString('--no-parallel-scavenge')
  setFlagsFromString('--no-allocation-site-pretenuring')
  setFlagsFromString(`--heap-growing-percent=${GARBAGE_PERCENT}`)
  let isFull = false
  const look = () => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
    if (!young || young.space_size >= youngBytesMax === isFull) return
    isFull = !isFull
    setFlagsFromString(`--semi-space-growth-factor=${isFull ? 1 : YOUNG_GROWTH_FACTOR}`)
  }
  new PerformanceObserver(look).observe({ entryTypes: ['gc'] })
}
