/** The model of the reference service, version by version: timers, elections, dead servers, limiter. */
import { nextBatch, nextBatchAt } from '@latchkey/acl'
import type { ServiceVersion } from '@latchkey/contract'
import { ACCESSORS_REQUIRED, isAtLeast, isIn, LEGACY_REMOVED, NEW_ACLS, range } from '../../version.ts'
import type { Blocker, MemberStatus, Mode } from '../history.ts'
import type { Look, MemberView, StartFacts, UpgradeModel } from './model.ts'

const FIRST_LOOK_MS = 50
const LOOK_DELAY_MS_MAX = 30_000
/** An election takes five seconds or more with the timeouts of the reference. */
const ELECTION_MS_DEFAULT = 5_000
const LEFT_COUNTS = [range('1.4.0', '1.6.0')]
const FAILED_COUNTS = [range('1.4.0', '1.6.5'), range('1.7.0', '1.7.2')]

export const serviceModel: UpgradeModel = {
  name: 'service',
  replication: {
    followsInLegacyMode: true,
    intervalMs: 1_000,
    burst: 5,
    retryMsFirst: 2_000,
    retryMsMax: 64_000,
    comparesSecrets: false,
    readsWithoutSecrets: true,
  },
  sharesStore: false,
  asksPrimary: false,
  lookDelayMs,
  waitsFor,
  modeAtStart: ({ version, acls }) => modeOf(version, acls),
  startRefusal,
  stoppedCountsMs: undefined,
  electionMsDefault: ELECTION_MS_DEFAULT,
  pauseMsDefault: ELECTION_MS_DEFAULT,
  nextBatch,
  // One pass a second per leader; the first pass of a leader does not wait.
  nextPassMs: ({ lastPassMs }, nowMs) => nextBatchAt(lastPassMs, nowMs),
  waitsAfterIdle: false,
}

/** 50 ms after the start, then after 100 ms, 200 ms, doubling up to 25.6 s, then every 30 s. */
export function lookDelayMs(n: number): number {
  return Math.min(FIRST_LOOK_MS * 2 ** n, LOOK_DELAY_MS_MAX)
}

/** Every process of 1.4.0 to 1.10 begins in legacy mode: the mode is not persisted. */
function modeOf(version: ServiceVersion, acls: boolean): Mode {
  if (!isAtLeast(version, NEW_ACLS)) return 'old'
  if (!acls) return 'off'
  return isAtLeast(version, LEGACY_REMOVED) ? 'new' : 'legacy'
}

/** Versions from 1.15 on do not start if their snapshot has a token without an accessor. */
function startRefusal({ version, unmigratedCount }: StartFacts): string | undefined {
  if (unmigratedCount === 0 || !isAtLeast(version, ACCESSORS_REQUIRED)) return undefined
  const tokens =
    unmigratedCount === 1 ? '1 token has' : `${unmigratedCount.toLocaleString('en-US')} tokens have`
  return `version ${version.text} does not start: ${tokens} no accessor, and versions from 1.15 refuse a snapshot with such tokens`
}

function counts(status: MemberStatus, version: ServiceVersion, isOwnDatacenter: boolean): boolean {
  if (status === 'alive') return true
  if (status === 'left') return isIn(version, LEFT_COUNTS)
  return !isOwnDatacenter || isIn(version, FAILED_COUNTS)
}

function waitsFor(look: Look): readonly Blocker[] {
  const own = look.own.filter((member) => counts(member.status, look.version, true))
  const blockers: Blocker[] = []
  if (!look.isPrimary) {
    const primary = look.primary.filter((member) => counts(member.status, look.version, false))
    blockers.push(...primary.filter((member) => member.mode !== 'new').map(blocker))
    if (primary.length === 0)
      blockers.push({ server: '', why: 'no server of the primary datacenter is known' })
  }
  if (look.role === 'leader') {
    blockers.push(...own.filter((member) => member.mode === 'off' || member.mode === 'old').map(blocker))
  } else if (look.role === 'agent') {
    blockers.push(...own.filter((member) => member.mode !== 'new').map(blocker))
    if (own.length === 0) blockers.push({ server: '', why: 'no server of the datacenter is known' })
  } else if (look.leader === undefined) {
    blockers.push({ server: '', why: 'the datacenter has no leader' })
  } else if (look.leader.mode !== 'new') {
    blockers.push(blocker(look.leader))
  }
  return blockers
}

function blocker({ server, status, mode }: MemberView): Blocker {
  const why = {
    off: 'ACLs are switched off',
    old: 'older than 1.4.0',
    legacy: 'still in legacy mode',
    new: '',
  }[mode]
  return { server, why: status === 'alive' ? why : `${why} (${status})` }
}
