/** Injects faults into servers and their database while clients use them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '@latchkey/testkit/random'
import { cutChangeFeeds, type ServerGroup } from './server-group.ts'

/** Causes a fault; resolves when everything is restored. */
export type Fault = () => Promise<void>

interface FaultsOptions {
  /** By name; all are equally frequent. */
  readonly faults: Readonly<Record<string, Fault>>
  readonly random: SeededRandom
}

interface Striker {
  /** How often each fault happened. */
  readonly counts: Readonly<Record<string, number>>
  /** Causes a random fault, after those in progress; resolves when everything is restored. */
  readonly strike: Fault
}

/** Injects faults only on demand, so that slow work on a busy machine does not get more faults. */
export function faultsOnDemand({ faults, random }: FaultsOptions): Striker {
  const counts: Record<string, number> = Object.fromEntries(Object.keys(faults).map((name) => [name, 0]))
  let last = Promise.resolve()
  const order = inRounds(faults, random)
  const strike = async () => {
    const [name, fault] = order.next().value
    await fault()
    counts[name] = (counts[name] ?? 0) + 1
  }
  return {
    counts,
    strike: () => {
      last = last.then(strike)
      return last
    },
  }
}

/** Endless: each fault once per round, in random order. */
function* inRounds(faults: FaultsOptions['faults'], random: SeededRandom): Generator<[string, Fault], never> {
  for (;;) yield* random.shuffled(Object.entries(faults))
}

interface Nemesis {
  readonly counts: Striker['counts']
  /** Stops after the fault in progress. */
  stop(): Promise<void>
}

/**
 * Injects one fault after another, with pauses in between.
 *
 * @param options.everyMs the longest pause.
 */
export function startNemesis({ everyMs, ...options }: FaultsOptions & { readonly everyMs: number }): Nemesis {
  const { counts, strike } = faultsOnDemand(options)
  const stopping = new AbortController()
  const rage = async () => {
    while (!stopping.signal.aborted) {
      await sleep(options.random.below(everyMs), undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      await strike()
    }
  }
  const done = rage()
  // `stop` reports a failure; until then it must not crash the process.
  done.catch(() => {})
  return {
    counts,
    stop: () => {
      stopping.abort()
      return done
    },
  }
}

/** The longest pause of a process, in milliseconds: shorter than a lease. */
const PAUSE_MS_MAX = 400

/** Faults of a random process of a group: SIGKILL and restart, SIGSTOP and SIGCONT; or all change feeds cut. */
export function serverFaults(options: {
  readonly group: ServerGroup
  readonly databaseUrl: string
  readonly random: SeededRandom
  readonly pauseMsMax?: number | undefined
}): { readonly kill: Fault; readonly pause: Fault; readonly cut: Fault } {
  const { group, databaseUrl, random, pauseMsMax = PAUSE_MS_MAX } = options
  const anyPlace = () => random.below(group.gateways.length)
  return {
    async kill() {
      const place = anyPlace()
      await group.end(place, 'SIGKILL')
      await group.start(place)
    },
    async pause() {
      const child = group.server(anyPlace())?.process
      child?.kill('SIGSTOP')
      await sleep(random.below(pauseMsMax))
      child?.kill('SIGCONT')
    },
    async cut() {
      await cutChangeFeeds(databaseUrl)
    },
  }
}
