/** Processes leave legacy mode neither early nor out of order, and never reenter it. Spec 9.2.1, 9.2.2. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import type { RecordOf } from '../simulate/history.ts'
import type { History } from '../simulate/run.ts'
import { isIn, NEW_ACLS, range } from '../version.ts'
import { during, FORGOTTEN, recordsOf, type ServerSpan, spansOf, staleMs, type Violation } from './facts.ts'

const STOPPED_COUNTS_MS = 5 * 60_000

type Spans = ReadonlyMap<string, readonly ServerSpan[]>

/** A leader leaves legacy mode only when every server that counts runs 1.4.0 or later with ACLs enabled. */
export function checkNotEarly(history: History): Violation[] {
  const spans = spansOf(history)
  return checkLeavings(history, 'not early', ({ at, server, datacenter }) => {
    const looker = during(spans.get(server) ?? [], at, at).at(-1)
    if (looker === undefined || leaderAt(history, datacenter, at) !== server) return []
    return serversOf(spans, datacenter).flatMap(([id, list]) => {
      const seen = during(list, at - staleMs(history), at)
      const isBlocking = (span: ServerSpan) =>
        (!span.acls || isBefore(span.version, NEW_ACLS)) && countsFor(history, looker.version, span, at)
      if (id === server || seen.length === 0 || !seen.every(isBlocking)) return []
      return [`${server} left legacy mode while ${id} was not able to`]
    })
  })
}

/** A follower leaves after its leader, and never without one. Latchkey servers share a store and leave together. */
export function checkFollowersWait(history: History): Violation[] {
  const spans = spansOf(history)
  const stale = new Set(recordsOf(history, 'stale-gossip').map((each) => each.server))
  return checkLeavings(history, 'followers wait', ({ at, server, datacenter }) => {
    if (history.model === 'latchkey') {
      return serversOf(spans, datacenter).flatMap(([id, list]) => {
        const span = during(list, at, at).at(-1)
        const isLeft = span?.state === 'up' && span.mode === 'legacy'
        return isLeft ? [`${server} left legacy mode and ${id} did not`] : []
      })
    }
    const leader = leaderAt(history, datacenter, at)
    if (leader === server || (leader !== undefined && stale.has(leader))) return []
    const seen = during(spans.get(leader ?? '') ?? [], at - staleMs(history), at)
    if (seen.some((span) => span.mode === 'new')) return []
    return [`${server} left legacy mode before its leader ${leader}`]
  })
}

/** No server of a secondary leaves legacy mode before every server of the primary that counts has left it. */
export function checkPrimaryFirst(history: History): Violation[] {
  const primary = serversOf(spansOf(history), history.primary)
  return checkLeavings(history, 'primary first', ({ at, server, datacenter }) => {
    if (datacenter === history.primary) return []
    const isThrough = (list: readonly ServerSpan[]) =>
      list.some((span) => span.from <= at && span.mode === 'new')
    // In the latchkey model, one server answers for its whole datacenter.
    if (history.model === 'latchkey' && primary.some(([, list]) => isThrough(list))) return []
    const waiting = primary.flatMap(([id, list]) => {
      const seen = during(list, staleFrom(history, datacenter, at), at)
      return seen.length === 0 || seen.some(hasLeft) || isThrough(list) ? [] : [id]
    })
    return waiting.length === 0 ? [] : [`${server} left legacy mode while ${waiting.join(', ')} had not`]
  })
}

/** A process never returns to an earlier mode. */
export function checkNeverBack(history: History): Violation[] {
  const modes = new Map<string, string>()
  return history.records.flatMap((each) => {
    if (each.kind !== 'mode' && !(each.kind === 'process' && each.state === 'up')) return []
    const { at, server, mode } = each
    const isBack = each.kind === 'mode' && modes.get(server) === 'new' && mode !== 'new'
    modes.set(server, mode)
    return isBack ? [{ rule: 'never back', at, detail: `${server} went back to ${mode} mode` }] : []
  })
}

function checkLeavings(
  history: History,
  rule: string,
  detailsOf: (leaving: RecordOf<'mode'>) => readonly string[],
): Violation[] {
  return recordsOf(history, 'mode').flatMap((each) =>
    each.mode === 'new' ? detailsOf(each).map((detail) => ({ rule, at: each.at, detail })) : [],
  )
}

function serversOf(spans: Spans, datacenter: string) {
  return [...spans].filter(([, [first]]) => first?.datacenter === datacenter)
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

/** Which dead servers count: by the three rules of the reference service, or by the rule of Latchkey. */
function countsFor(history: History, looker: ServiceVersion, span: ServerSpan, at: number): boolean {
  if (span.how === FORGOTTEN) return false
  if (span.state === 'up') return true
  if (history.model === 'latchkey') {
    const hasStopped = span.state === 'down' && span.how === 'restart'
    return !hasLeft(span) && !(hasStopped && at - span.from > STOPPED_COUNTS_MS)
  }
  const leftCounts = [range('1.4.0', '1.6.0')]
  return isIn(
    looker,
    hasLeft(span) ? leftCounts : [...leftCounts, range('1.6.0', '1.6.5'), range('1.7.0', '1.7.2')],
  )
}

function hasLeft({ state, how }: ServerSpan): boolean {
  return state === 'down' && (how === 'leave' || how === 'left' || how === FORGOTTEN)
}
