/** Whether the server answers, judged from all calls: watches survive an outage, so a page must say that it may be old. */
import type { LatchkeyError, Logger } from '@latchkey/sdk'
import { sharedState } from './shared-state.ts'

export interface Connection {
  /** The last failure, if nothing has succeeded since. */
  readonly trouble: LatchkeyError | undefined
  readonly recoveries: number
}

/** Consecutive failures before the server is considered away: one connection or one endpoint may fail by itself. */
const FAILURES_MIN = { unreachable: 2, refused: 4 } as const
const AWAY: readonly (number | undefined)[] = [undefined, 502, 503, 504]

let failures = 0
const connection = sharedState<Connection>({ trouble: undefined, recoveries: 0 })

/** Observes every attempt and every retry of a client. */
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
