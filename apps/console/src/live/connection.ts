/**
 * Whether the server answers, as all calls of the console see it. Watches outlast a server that is away, so that a page keeps what it
 * shows; this tells the person, and wakes the pages once it is back.
 */
import type { LatchkeyError, Logger } from '@latchkey/sdk'
import { sharedState } from './shared-state.ts'

export interface Connection {
  /** The last failure, while nothing succeeds. */
  readonly trouble: LatchkeyError | undefined
  /** How often the server came back. */
  readonly recoveries: number
}

/** Failures in a row that count. One may be that of a single connection, and a few answers that of a single endpoint. */
const FAILURES_MIN = { unreachable: 2, refused: 4 } as const
const AWAY: readonly (number | undefined)[] = [undefined, 502, 503, 504]

let failures = 0
const connection = sharedState<Connection>({ trouble: undefined, recoveries: 0 })

/** Hears of every attempt and of every retry of a client. */
export const connectionLogger: Logger = {
  debug(_, { status }) {
    if (status === undefined || status >= 500) return
    failures = 0
    const { trouble, recoveries } = connection.get()
    if (trouble) connection.set({ trouble: undefined, recoveries: recoveries + 1 })
  },
  warn(_, { error }) {
    failures += 1
    const least = error.status === undefined ? FAILURES_MIN.unreachable : FAILURES_MIN.refused
    if (AWAY.includes(error.status) && failures >= least)
      connection.set({ ...connection.get(), trouble: error })
  },
}

export function useConnection(): Connection {
  return connection.use()
}
