/** The model of Latchkey servers, by the rules of `@latchkey/acl`: one store, limits across takeovers. */
import {
  ACCESSOR_BATCH_INTERVAL_MS_MIN,
  type AclModeRecord,
  advertisedMode,
  assertCanStart,
  decideMode,
  LEADER_SILENT_MS_MAX,
  MEMBER_HEARTBEAT_MS,
  MEMBER_STOPPED_COUNTS_MS,
  type Member,
  type MemberMode,
  nextBatch,
  nextBatchAt,
  StartRefused,
} from '@latchkey/acl'
import { profileOf } from '@latchkey/contract'
import type { Blocker, Mode } from '../history.ts'
import type { Look, MemberView, PassMemory, StartFacts, UpgradeModel } from './model.ts'

/** A process that takes over tries to get the lock about once a second. */
const TAKEOVER_MS = 1_000

const MODES: Readonly<Record<MemberMode, Mode>> = {
  unknown: 'old',
  disabled: 'off',
  legacy: 'legacy',
  enabled: 'new',
}
const ADVERTISED: Readonly<Record<Mode, MemberMode>> = {
  old: 'unknown',
  off: 'disabled',
  legacy: 'legacy',
  new: 'enabled',
}

export const latchkeyModel: UpgradeModel = {
  name: 'latchkey',
  replication: {
    followsInLegacyMode: false,
    intervalMs: 20,
    burst: 1,
    retryMsFirst: 500,
    retryMsMax: 1_500,
    comparesSecrets: true,
    readsWithoutSecrets: false,
  },
  sharesStore: true,
  asksPrimary: true,
  lookDelayMs: (n) => (n === 0 ? 0 : MEMBER_HEARTBEAT_MS),
  waitsFor,
  modeAtStart: ({ version, acls, hasCompleted }) => {
    const recorded: AclModeRecord = hasCompleted ? { mode: 'enabled', since: 0 } : { mode: 'legacy' }
    return MODES[advertisedMode(profileOf(version), { aclEnabled: acls, recorded })]
  },
  startRefusal,
  stoppedCountsMs: MEMBER_STOPPED_COUNTS_MS,
  electionMsDefault: TAKEOVER_MS,
  pauseMsDefault: LEADER_SILENT_MS_MAX + TAKEOVER_MS,
  nextBatch,
  nextPassMs,
  waitsAfterIdle: true,
}

/** Any process of the datacenter can end legacy mode, without a leader. */
function waitsFor(look: Look): readonly Blocker[] {
  const decision = decideMode({
    datacenter: 'own',
    primaryDatacenter: look.isPrimary ? 'own' : 'primary',
    members: look.own.map((member) => asMember(member, 'own')),
    primaryMembers: look.isPrimary ? undefined : primaryAnswer(look.primary),
    recorded: { mode: 'legacy' },
  })
  if (decision.next === 'enabled') return []
  const named = look.own.filter((member) => member.status !== 'left').flatMap(blockerOf)
  return named.length > 0 ? named : decision.waitsFor.map((why) => ({ server: '', why }))
}

/** A secondary asks the primary for its mode. Any server answers for the whole datacenter. */
function primaryAnswer(primary: readonly MemberView[]): readonly Member[] | undefined {
  const alive = primary.filter((member) => member.status === 'alive')
  const answer = alive.find((member) => member.mode === 'new') ?? alive[0]
  return answer === undefined ? undefined : [asMember(answer, 'primary')]
}

function asMember({ server, status, mode }: MemberView, datacenter: string): Member {
  return { id: server, datacenter, node: server, version: '', mode: ADVERTISED[mode], heartbeatAt: 0, status }
}

function blockerOf({ server, mode, status }: MemberView): Blocker[] {
  const gone = status === 'alive' ? '' : ` (${status})`
  if (mode === 'old') return [{ server, why: `older than 1.4.0${gone}` }]
  return mode === 'off' ? [{ server, why: `ACLs are switched off${gone}` }] : []
}

/** As version 1.11, a server does not start while tokens have rights only from legacy rules, which they would lose. */
function startRefusal(start: StartFacts): string | undefined {
  try {
    assertCanStart({
      profile: profileOf(start.version),
      recorded: undefined,
      legacyRightsCount: start.legacyRightsCount,
      mayDropLegacyRights: false,
      flagName: 'the flag of the server that allows it',
    })
    return undefined
  } catch (error) {
    if (error instanceof StartRefused) return error.message
    throw error
  }
}

/** The store records the last batch. A new leader waits a whole interval before its first batch. */
function nextPassMs({ lastPassMs, lastBatchMs }: PassMemory, nowMs: number): number {
  if (lastPassMs === undefined && lastBatchMs !== undefined) return nowMs + ACCESSOR_BATCH_INTERVAL_MS_MIN
  return nextBatchAt(lastBatchMs, nowMs)
}
