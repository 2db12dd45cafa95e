/** Faults that happen to servers and their database while these are worked with. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { SeededRandom } from '@latchkey/testkit/random'
import { cutChangeFeeds, type ServerGroup } from './server-group.ts'

/** What goes wrong, and right again: when it resolves, all that was there is there again. */
export type Fault = () => Promise<void>

export interface Nemesis {
  /** How often each fault happened. */
  readonly counts: Readonly<Record<string, number>>
  /** Ends the faults, after the one that is in progress. */
  stop(): Promise<void>
}

/**
 * Lets one fault follow the other, with pauses between.
 *
 * @param options.faults by name; each is as likely as the others.
 * @param options.everyMs the longest pause.
 */
export function startNemesis(options: {
  readonly faults: Readonly<Record<string, Fault>>
  readonly random: SeededRandom
  readonly everyMs: number
}): Nemesis {
  const { faults, random, everyMs } = options
  const counts: Record<string, number> = Object.fromEntries(Object.keys(faults).map((name) => [name, 0]))
  const stopping = new AbortController()
  const rage = async () => {
    while (!stopping.signal.aborted) {
      await sleep(random.below(everyMs), undefined, { signal: stopping.signal }).catch(() => {})
      if (stopping.signal.aborted) return
      const [name, strike] = random.pick(Object.entries(faults))
      await strike()
      counts[name] = (counts[name] ?? 0) + 1
    }
  }
  const done = rage()
  // The caller that stops it hears of a failure; until then it must not end the process.
  done.catch(() => {})
  return {
    counts,
    stop: () => {
      stopping.abort()
      return done
    },
  }
}

/** The longest pause of a process, in milliseconds. */
const PAUSE_MS_MAX = 400

/** Faults of one process of a group, drawn each time: SIGKILL and a restart; SIGSTOP and SIGCONT; feeds cut, of all. */
export function serverFaults(options: {
  readonly group: ServerGroup
  readonly databaseUrl: string
  readonly random: SeededRandom
}): { readonly kill: Fault; readonly pause: Fault; readonly cut: Fault } {
  const { group, databaseUrl, random } = options
  const anyPlace = () => random.below(group.doors.length)
  return {
    async kill() {
      const place = anyPlace()
      await group.end(place, 'SIGKILL')
      await group.start(place)
    },
    async pause() {
      const child = group.server(anyPlace())?.process
      child?.kill('SIGSTOP')
      await sleep(random.below(PAUSE_MS_MAX))
      child?.kill('SIGCONT')
    },
    async cut() {
      await cutChangeFeeds(databaseUrl)
    },
  }
}
