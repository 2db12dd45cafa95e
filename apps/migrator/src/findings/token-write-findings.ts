/** Findings about writes to legacy tokens: who loses rights at 1.11, which writes are lost, refused or not replicated. */
import { recordsOf } from '../check/facts.ts'
import { formatSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import { size, subtract, unite } from '../simulate/ranges.ts'
import { isAtLeast, isIn, LEGACY_REMOVED, range } from '../version.ts'
import { counted, type Evidence, type Finding } from './finding.ts'

export function findTokenWrites(evidence: Evidence): Finding[] {
  return [
    ...findRulesIgnored(evidence),
    ...findLostWrites(evidence),
    ...findUnreplicatedEdits(evidence),
    ...findRefusedWrites(evidence),
  ]
}

/** From 1.11 the rules of client tokens that were not converted are ignored. */
function findRulesIgnored({ scenario, history }: Evidence): Finding[] {
  const first = recordsOf(history, 'process').find(
    (each) => each.state === 'up' && isAtLeast(each.version, LEGACY_REMOVED),
  )
  if (first === undefined) return []
  const count = legacyRightsAt(scenario, history, first.at)
  if (count === 0) return []
  const effect =
    scenario.defaultPolicy === 'deny'
      ? 'they lose every right that their rules gave'
      : 'with default policy allow, tokens made of denials gain everything'
  return [
    {
      id: 'rules-ignored-at-1.11',
      severity: 'critical',
      count,
      detail: `From 1.11 (${first.server}, ${formatSeconds(first.at)}) the rules of ${counted(count, 'unconverted client token')} are ignored: they authenticate and have the default policy alone; ${effect}`,
      avoid:
        'Convert every legacy client token to policies while the cluster runs 1.10, and compare its decisions.',
      from: first.at,
      servers: [first.server],
    },
  ]
}

/** Client tokens whose rules still count at a time: those of the file and of later creations, less the converted. */
function legacyRightsAt(scenario: Evidence['scenario'], history: History, at: number): number {
  let next = 0
  let tokens = unite(
    scenario.tokens.flatMap(({ count, type, rules }) => {
      const from = next
      next += count
      return type === 'client' && rules !== '' ? [[from, next] as const] : []
    }),
    [],
  )
  for (const each of recordsOf(history, 'tokens')) {
    if (each.at > at || each.refused !== undefined) continue
    if (each.action === 'created' && each.haveLegacyRights) tokens = unite(tokens, each.tokens)
    if (each.action === 'deleted' || each.action === 'converted') tokens = subtract(tokens, each.tokens)
  }
  return size(tokens)
}

/** At 1.11 legacy writes after the last snapshot of a server are skipped when it replays its log. */
function findLostWrites({ history }: Evidence): Finding[] {
  const starts = recordsOf(history, 'process').filter(
    (each) =>
      each.state === 'up' &&
      each.detail !== 'as before the upgrade' &&
      isAtLeast(each.version, LEGACY_REMOVED),
  )
  const seen = new Set<string>()
  const losses = starts.flatMap(({ at, server }) => {
    if (seen.has(server)) return []
    seen.add(server)
    const snapshot = recordsOf(history, 'snapshot').findLast(
      (each) => each.server === server && each.at <= at,
    )
    const lost = recordsOf(history, 'tokens').filter(
      (each) =>
        (each.action === 'created' || each.action === 'edited') &&
        each.refused === undefined &&
        each.at <= at &&
        each.at > (snapshot?.at ?? -1),
    )
    const count = size(
      lost.reduce<readonly (readonly [number, number])[]>((all, each) => unite(all, each.tokens), []),
    )
    return count === 0 ? [] : [{ server, at, count }]
  })
  const [first] = losses
  if (first === undefined) return []
  return [
    {
      id: 'log-writes-lost',
      severity: 'critical',
      count: Math.max(...losses.map(({ count }) => count)),
      detail: `At the start as 1.11 ${losses.map(({ server, count }) => `${server} loses ${counted(count, 'token')}`).join(', ')}: legacy writes after its last snapshot are skipped when it replays its log, so the servers may even differ`,
      avoid: 'On 1.10, after the last legacy write, force a snapshot on every server.',
      from: first.at,
      servers: losses.map(({ server }) => server),
    },
  ]
}

/** A legacy update of a migrated token did not reach secondaries (CVE-2020-12797). */
function findUnreplicatedEdits({ scenario, history }: Evidence): Finding[] {
  if (history.datacenters.length === 1 || scenario.model === 'latchkey') return []
  const faulty = [range('1.4.0', '1.6.6'), range('1.7.0', '1.7.4')]
  const edits = recordsOf(history, 'tokens').filter(
    (each) => each.action === 'edited' && each.refused === undefined && size(each.tokens) > each.unmigrated,
  )
  const hit = edits.filter(({ at }) => {
    const leader = recordsOf(history, 'leader').findLast(
      (each) => each.datacenter === history.primary && each.at <= at,
    )?.server
    const process = recordsOf(history, 'process').findLast((each) => each.server === leader && each.at <= at)
    return process !== undefined && isIn(process.version, faulty)
  })
  const [first] = hit
  if (first === undefined) return []
  const count = hit.reduce((sum, each) => sum + size(each.tokens) - each.unmigrated, 0)
  return [
    {
      id: 'edits-not-replicated',
      severity: 'warning',
      count,
      detail: `${counted(count, 'legacy update')} of migrated tokens did not reach the secondaries: up to 1.6.5 and in 1.7.0 to 1.7.3 their hash is null (CVE-2020-12797)`,
      avoid: 'Use 1.6.6, 1.7.4 or later, or change such tokens through the token API.',
      from: first.at,
    },
  ]
}

function findRefusedWrites({ history }: Evidence): Finding[] {
  const refused = recordsOf(history, 'tokens').filter((each) => each.refused !== undefined)
  const reasons = [...new Set(refused.map((each) => each.refused ?? ''))]
  return reasons.map((reason) => {
    const writes = refused.filter((each) => each.refused === reason)
    const [first] = writes
    const count = writes.reduce((sum, each) => sum + size(each.tokens), 0)
    return {
      id: 'legacy-writes-refused',
      severity: 'warning' as const,
      count,
      detail: `${counted(count, 'legacy write')} refused: ${reason}`,
      avoid: reason.startsWith('Cannot use')
        ? 'Change management tokens through the token API once they are migrated.'
        : 'Write no tokens while servers are being replaced.',
      ...(first === undefined ? {} : { from: first.at }),
    }
  })
}
