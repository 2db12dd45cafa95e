/** The outcome of intention calls. Spec 9.3 (1.9.0), 9.5. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { INTENTIONS_AS_ENTRIES } from '../version.ts'
import { type CallContext, type CallKind, edgeOf, NO_LEADER, type Outcome, RPC, type Rule } from './call.ts'

export const INTENTION_RULES = {
  // Spec 9.3 (1.9.0).
  'intention-list': ({ server }) => {
    if (isBefore(server.version, INTENTIONS_AS_ENTRIES)) return undefined
    return {
      kind: 'intentions-of-one-namespace',
      status: 200,
      text: 'one namespace only, without ns=*',
      isError: false,
    }
  },
  // Spec 9.5.2: reads are always answered.
  'intention-read': () => undefined,
  'intention-write': (context) => {
    const { primaryLeader, isPrimaryReached } = context
    if (primaryLeader === undefined || !isPrimaryReached) return NO_LEADER
    return blockedIntention(context, primaryLeader)
  },
  'intention-config-write': (context) => {
    const { primaryLeader, isPrimaryReached } = context
    if (primaryLeader === undefined || !isPrimaryReached) return NO_LEADER
    if (isBefore(edgeOf(context), INTENTIONS_AS_ENTRIES) || isBefore(primaryLeader, INTENTIONS_AS_ENTRIES)) {
      const status = isBefore(edgeOf(context), INTENTIONS_AS_ENTRIES) ? 400 : 500
      return {
        kind: 'config-kind-unknown',
        status,
        text: 'invalid config entry kind: service-intentions',
        isError: true,
      }
    }
    return blockedIntention(context, primaryLeader)
  },
} satisfies Partial<Record<CallKind, Rule>>

/** Spec 9.5.2: from the first leader of 1.9.0 until the migration is done. */
function blockedIntention(context: CallContext, leader: ServiceVersion): Outcome | undefined {
  if (isBefore(leader, INTENTIONS_AS_ENTRIES) || context.intentionsAreMigrated) return undefined
  const prefix = context.server.isLeader && context.agent === undefined ? '' : RPC
  return {
    kind: 'intentions-blocked',
    status: 500,
    text: `${prefix}Intentions are read only while being upgraded to config entries`,
    isError: true,
  }
}
