/** Processes leave legacy mode neither early nor out of order, and never reenter it. Spec 9.2.1, 9.2.2. */
import { isBefore, readVersion, type ServiceVersion } from '@latchkey/contract'
import type { History, RecordOf } from '../simulate/history.ts'
import {
  datacentersOf,
  during,
  FORGOTTEN,
  recordsOf,
  type ServerSpan,
  spansOf,
  staleMs,
  type Violation,
} from './facts.ts'

/** How long a stopped Latchkey server still blocks the others. */
const STOPPED_COUNTS_MS = 5 * 60_000

/** A leader leaves legacy mode only when every server that counts runs 1.4.0 or later with ACLs enabled. */
export function checkNotEarly(history: History): Violation[] {
  const spans = spansOf(history)
  const datacenters = datacentersOf(history)
  return leavings(history).flatMap(({ at, server, datacenter }) => {
    if (leaderAt(history, datacenter, at) !== server) return []
    const looker = during(spans.get(server) ?? [], at, at).at(-1)
    if (looker === undefined) return []
    const others = [...spans].filter(([id]) => id !== server && datacenters.get(id) === datacenter)
    return others.flatMap(([id, list]) => {
      const seen = during(list, at - staleMs(history), at)
      if (
        seen.length === 0 ||
        seen.some((span) => isAble(span) || !countsFor(history, looker.version, span, at))
      ) {
        return []
      }
      return [{ rule: 'not early', at, detail: `${server} left legacy mode while ${id} was not able to` }]
    })
  })
}

/** A follower leaves after its leader, and never without one. Latchkey servers share a store and leave together. */
export function checkFollowersWait(history: History): Violation[] {
  const spans = spansOf(history)
  if (history.model === 'latchkey') return checkTogether(history, spans)
  const stale = new Set(recordsOf(history, 'stale-gossip').map((each) => each.server))
  return leavings(history).flatMap(({ at, server, datacenter }) => {
    const leader = leaderAt(history, datacenter, at)
    if (leader === server || (leader !== undefined && stale.has(leader))) return []
    const seen = during(leader === undefined ? [] : (spans.get(leader) ?? []), at - staleMs(history), at)
    if (seen.some((span) => span.mode === 'new')) return []
    return [{ rule: 'followers wait', at, detail: `${server} left legacy mode before its leader ${leader}` }]
  })
}

function checkTogether(history: History, spans: ReadonlyMap<string, readonly ServerSpan[]>): Violation[] {
  const datacenters = datacentersOf(history)
  return leavings(history).flatMap(({ at, server, datacenter }) =>
    [...spans].flatMap(([id, list]) => {
      const span = datacenters.get(id) === datacenter ? during(list, at, at).at(-1) : undefined
      if (span?.state !== 'up' || span.mode !== 'legacy') return []
      return [{ rule: 'followers wait', at, detail: `${server} left legacy mode and ${id} did not` }]
    }),
  )
}

/** No server of a secondary leaves legacy mode before every server of the primary that counts has left it. */
export function checkPrimaryFirst(history: History): Violation[] {
  const datacenters = datacentersOf(history)
  const spans = spansOf(history)
  const primary = [...spans].filter(([id]) => datacenters.get(id) === history.primary)
  const hasAny = (at: number) =>
    primary.some(([, list]) => list.some((span) => span.from <= at && span.mode === 'new'))
  return leavings(history).flatMap(({ at, server, datacenter }) => {
    if (datacenter === history.primary) return []
    const waiting = primary.flatMap(([id, list]) => {
      const past = list.filter((span) => span.from <= at)
      const seen = during(past, staleFrom(history, datacenter, at), at)
      const isThrough = past.some((span) => span.mode === 'new')
      return seen.length === 0 || seen.some(hasLeft) || isThrough ? [] : [id]
    })
    // In the latchkey model, one server answers for its whole datacenter.
    if (waiting.length === 0 || (history.model === 'latchkey' && hasAny(at))) return []
    return [
      { rule: 'primary first', at, detail: `${server} left legacy mode while ${waiting.join(', ')} had not` },
    ]
  })
}

/** A process never returns to an earlier mode. */
export function checkNeverBack(history: History): Violation[] {
  const modes = new Map<string, string>()
  const violations: Violation[] = []
  for (const each of history.records) {
    if (each.kind === 'process' && each.state === 'up') modes.set(each.server, each.mode)
    if (each.kind !== 'mode') continue
    if (modes.get(each.server) === 'new' && each.mode !== 'new') {
      violations.push({
        rule: 'never back',
        at: each.at,
        detail: `${each.server} went back to ${each.mode} mode`,
      })
    }
    modes.set(each.server, each.mode)
  }
  return violations
}

function leavings(history: History): RecordOf<'mode'>[] {
  return recordsOf(history, 'mode').filter((each) => each.mode === 'new')
}

function leaderAt(history: History, datacenter: string, at: number): string | undefined {
  return recordsOf(history, 'leader').findLast((each) => each.datacenter === datacenter && each.at <= at)
    ?.server
}

/** The time since which a secondary's view of the primary may be stale: a broken link delivers no gossip. */
function staleFrom(history: History, secondary: string, at: number): number {
  const links = recordsOf(history, 'link').filter(
    ({ between }) => between.includes(secondary) && between.includes(history.primary),
  )
  const cut = links.findLast((each) => each.state === 'down' && each.at <= at)
  const healed = links.find((each) => each.state === 'up' && cut !== undefined && each.at >= cut.at)
  const isCut = cut !== undefined && (healed === undefined || healed.at >= at - staleMs(history))
  return (isCut ? cut.at : at) - staleMs(history)
}

function isAble({ version, acls }: ServerSpan): boolean {
  return acls && !isBefore(version, v('1.4.0'))
}

/**
 * Which dead servers count: the three rules of the reference service, and the rule of Latchkey (failed servers count,
 * left servers do not, and stopped servers count for a while).
 */
function countsFor(history: History, looker: ServiceVersion, span: ServerSpan, at: number): boolean {
  if (span.how === FORGOTTEN) return false
  if (span.state === 'up') return true
  if (history.model === 'latchkey') {
    const hasStopped = span.state === 'down' && span.how === 'restart'
    return !hasLeft(span) && !(hasStopped && at - span.from > STOPPED_COUNTS_MS)
  }
  const isFirst = isBefore(looker, v('1.6.0'))
  const isSecond =
    isBefore(looker, v('1.6.5')) || (!isBefore(looker, v('1.7.0')) && isBefore(looker, v('1.7.2')))
  return hasLeft(span) ? isFirst : isFirst || isSecond
}

function hasLeft({ state, how }: ServerSpan): boolean {
  return state === 'down' && (how === 'leave' || how === 'left' || how === FORGOTTEN)
}

function v(text: string): ServiceVersion {
  const version = readVersion(text)
  if (version === undefined) throw new TypeError(`${text} is not a version`)
  return version
}
