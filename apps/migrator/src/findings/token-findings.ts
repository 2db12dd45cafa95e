/** Findings about tokens: missing accessors, ghosts, replication, and the time of the migration. Spec 8, 9.2.3. */
import type { ServiceVersion } from '@latchkey/contract'
import { lastingRecords, recordsOf } from '../check/facts.ts'
import { formatSeconds } from '../scenario/time.ts'
import type { RecordOf } from '../simulate/history.ts'
import type { History } from '../simulate/run.ts'
import { RangeSet, size } from '../simulate/tokens/ranges.ts'
import { ACCESSORS_REQUIRED, isAtLeast, isIn, LEGACY_REMOVED, NEW_ACLS, range } from '../version.ts'
import { about, agrees, counted, type Evidence, type Finder, type Found } from './finding.ts'

export const TOKEN_FINDERS: readonly Finder[] = [
  findWithoutAccessor,
  findUndoneBatches,
  findGhosts,
  findReadOnlyReplication,
  findRateAtTakeover,
  findMigrationWindow,
]

/** Versions without the new ACLs have no accessors, so nothing is missing if only such versions run. */
function findWithoutAccessor({ history }: Evidence): Found {
  if (!ranSince(history, NEW_ACLS)) return []
  const isLate = ranSince(history, ACCESSORS_REQUIRED)
  const note = isLate ? '; versions from 1.15 on refuse to start from a snapshot with such tokens' : ''
  return history.stores.flatMap(({ datacenter, unmigrated }) => {
    const count = size(unmigrated)
    if (count === 0) return []
    return {
      id: 'accessors-missing',
      severity: history.isSettled ? ('critical' as const) : ('warning' as const),
      count,
      detail: `${counted(count, 'token')} of ${datacenter} ${agrees(count, 'has', 'have')} no accessor at the end: the token API shows ${agrees(count, 'it', 'them')} with an empty AccessorID and cannot address ${agrees(count, 'it', 'them')}${note}`,
      avoid: history.isSettled
        ? 'Remove the blockers listed above; no later version assigns these accessors.'
        : 'Simulate longer (duration): the migration was still running.',
      to: history.endedAt,
    }
  })
}

function ranSince(history: History, since: ServiceVersion): boolean {
  return recordsOf(history, 'process').some(({ version }) => isAtLeast(version, since))
}

function findUndoneBatches({ history }: Evidence): Found {
  return recordsOf(history, 'batch-failed').map(({ at, server, tokens }) => {
    const next = recordsOf(history, 'batch').find((each) => each.at > at)
    const until = next === undefined ? ' on' : ` to ${formatSeconds(next.at)}`
    return {
      id: 'batch-undone',
      severity: next === undefined ? ('critical' as const) : ('warning' as const),
      count: tokens,
      detail: `From ${formatSeconds(at)}${until} ${server} retries one batch of ${counted(tokens, 'token')} every second: one token in it cannot be written, so the whole batch is rolled back`,
      avoid: 'Correct or delete that token through the legacy API before the upgrade.',
      from: at,
      ...(next === undefined ? {} : { to: next.at }),
      servers: [server],
    }
  })
}

function findGhosts({ history }: Evidence): Found {
  return history.stores.flatMap(({ datacenter, ghosts }) => {
    const count = size(ghosts)
    if (count === 0) return []
    const at = recordsOf(history, 'tokens').find((each) => each.action === 'deleted')?.at
    return {
      id: 'ghost-tokens',
      severity: 'critical' as const,
      count,
      detail: `${counted(count, 'token')}, deleted in the primary, ${agrees(count, 'remains', 'remain')} in ${datacenter} and still ${agrees(count, 'works', 'work')} there: a copy without an accessor is skipped by the new replication`,
      avoid: `Do not delete tokens between the upgrade of the primary and the end of the migration in ${datacenter}; afterwards no secondary may list a token with an empty accessor.`,
      ...(at === undefined ? {} : { from: at }),
    }
  })
}

function findReadOnlyReplication({ history }: Evidence): Found {
  const { model } = history
  return recordsOf(history, 'replication-failed').map(({ at, datacenter, detail }) => ({
    id: 'replication-token-read-only',
    severity: 'critical' as const,
    count: 1,
    detail: `${datacenter}: ${detail}. ${model === 'latchkey' ? 'It keeps the tokens that it has, without their accessors' : 'Global tokens do not work there, and the replication status does not show it'}`,
    avoid: 'Give the replication token acl:write before the upgrade.',
    from: at,
  }))
}

/** The rate limiter of the reference is in memory, so a new leader begins without waiting. */
function findRateAtTakeover({ history }: Evidence): Found {
  const batches = recordsOf(history, 'batch')
  const close = batches.filter((batch, i) => {
    const before = batches[i - 1]
    return before !== undefined && before.term !== batch.term && batch.at - before.at < 1_000
  })
  return about(close, () => ({
    id: 'batches-close-at-takeover',
    severity: 'info',
    detail: `${close.length === 1 ? 'one batch' : `${close.length} batches`} less than a second after the previous one, because a new leader starts without waiting`,
    avoid: 'Nothing to do; do not restart the leader during the migration if the load matters.',
  }))
}

/** Spec 9.2.3: during the migration, the new APIs may return tokens without an accessor. */
function findMigrationWindow({ history }: Evidence): Found {
  const batches = recordsOf(history, 'batch').filter((each) => each.datacenter === history.primary)
  const [first] = batches
  const last = batches.at(-1)
  if (first === undefined || last === undefined || batches.length < 2) return []
  return {
    id: 'empty-accessors',
    severity: 'info',
    count: batches.reduce((sum, each) => sum + size(each.tokens), 0),
    detail: `From ${formatSeconds(first.at)} to ${formatSeconds(last.at)} tokens show an empty AccessorID until they are migrated; read, update, delete and clone cannot address them, and an update to an empty accessor creates a new token`,
    avoid: 'Stop automation that addresses tokens by accessor during this window.',
    from: first.at,
    to: last.at,
  }
}

export const TOKEN_WRITE_FINDERS: readonly Finder[] = [
  findRulesIgnored,
  findUnlinkedManagement,
  findLostWrites,
  findUnreplicatedEdits,
  findRefusedWrites,
  findDroppedRules,
  findRestores,
]

function findRulesIgnored({ scenario, history }: Evidence): Found {
  const first = firstWithoutLegacy(history)
  if (first === undefined) return []
  const { legacyRights, unlinked } = endingRightsAt(history, first.at)
  const count = legacyRights - unlinked
  if (count === 0) return []
  const effect =
    scenario.defaultPolicy === 'deny'
      ? 'they lose every right that their rules granted'
      : 'with default policy allow, tokens whose rules only deny gain every right'
  return {
    id: 'rules-ignored-at-1.11',
    severity: 'critical',
    count,
    detail: `From 1.11 (${first.server}, ${formatSeconds(first.at)}) the rules of ${counted(count, 'unconverted client token')} are ignored: the tokens authenticate, but only the default policy applies to them; ${effect}`,
    avoid:
      'Convert every legacy client token to policies while the cluster runs 1.10, and compare its decisions.',
    from: first.at,
    servers: [first.server],
  }
}

/** Below 1.11 they work, and nothing shows that the migration will not link them any more. */
function findUnlinkedManagement({ history }: Evidence): Found {
  const first = firstWithoutLegacy(history)
  const { unlinked: count } = endingRightsAt(history, first?.at)
  if (count === 0) return []
  return {
    id: 'management-unlinked',
    severity: first === undefined ? 'warning' : 'critical',
    count,
    detail: `${counted(count, 'management token')} ${agrees(count, 'was a client token', 'were client tokens')} until the legacy API changed ${agrees(count, 'its', 'their')} type after the migration, which therefore linked no policy to ${agrees(count, 'it', 'them')}: ${first === undefined ? 'from 1.11 on' : `from 1.11 (${first.server}, ${formatSeconds(first.at)}) on`} the type is ignored, and only the default policy applies`,
    avoid: 'Link global-management through the token API before 1.11.',
    ...(first === undefined ? {} : { from: first.at, servers: [first.server] }),
  }
}

function firstWithoutLegacy(history: History): RecordOf<'process'> | undefined {
  return recordsOf(history, 'process').find(
    (each) => each.state === 'up' && isAtLeast(each.version, LEGACY_REMOVED),
  )
}

/** @param at undefined for the end. */
function endingRightsAt(history: History, at: number | undefined) {
  const last = history.records.findLast(
    (each) => (each.kind === 'tokens' || each.kind === 'restored') && (at === undefined || each.at <= at),
  )
  return last?.kind === 'tokens' || last?.kind === 'restored' ? last : history.rightsAtStart
}

/** A server that starts as 1.11 replays its log without the legacy writes after its last snapshot. */
function findLostWrites({ history }: Evidence): Found {
  const starts = recordsOf(history, 'process').filter(
    (each) =>
      each.state === 'up' &&
      each.detail !== 'as before the upgrade' &&
      isAtLeast(each.version, LEGACY_REMOVED),
  )
  const writes = lastingRecords(history).flatMap((each) =>
    each.kind === 'tokens' &&
    each.api === 'legacy' &&
    (each.action === 'created' || each.action === 'edited') &&
    each.refused === undefined
      ? [each]
      : [],
  )
  const seen = new Set<string>()
  const losses = starts.flatMap(({ at, server }) => {
    if (seen.has(server)) return []
    seen.add(server)
    const snapshot = recordsOf(history, 'snapshot').findLast(
      (each) => each.server === server && each.at <= at,
    )
    const lost = new RangeSet()
    for (const each of writes) {
      if (each.at <= at && each.at > (snapshot?.at ?? -1)) lost.add(each.tokens)
    }
    const count = lost.size
    return count === 0 ? [] : [{ server, at, count }]
  })
  const [first] = losses
  if (first === undefined) return []
  return {
    id: 'log-writes-lost',
    severity: 'critical',
    count: Math.max(...losses.map(({ count }) => count)),
    detail: `When starting as 1.11, ${losses.map(({ server, count }) => `${server} loses ${counted(count, 'token')}`).join(', ')}: legacy writes after the last snapshot of a server are skipped when it replays its log, so servers may end up with different tokens`,
    avoid: 'On 1.10, after the last legacy write, force a snapshot on every server.',
    from: first.at,
    servers: losses.map(({ server }) => server),
  }
}

/** A legacy update of a migrated token did not reach secondaries (CVE-2020-12797). */
function findUnreplicatedEdits({ scenario, history }: Evidence): Found {
  if (history.datacenters.length === 1 || scenario.model === 'latchkey') return []
  const faulty = [range('1.4.0', '1.6.6'), range('1.7.0', '1.7.4')]
  const versions = new Map<string, ServiceVersion>()
  let leader: string | undefined
  const hit: RecordOf<'tokens'>[] = []
  for (const each of history.records) {
    if (each.kind === 'process') versions.set(each.server, each.version)
    if (each.kind === 'leader' && each.datacenter === history.primary) leader = each.server
    if (each.kind !== 'tokens' || each.action !== 'edited' || each.api !== 'legacy') continue
    const version = leader === undefined ? undefined : versions.get(leader)
    const isFaulty = version !== undefined && isIn(version, faulty)
    if (each.refused === undefined && size(each.tokens) > each.unmigrated && isFaulty) hit.push(each)
  }
  const count = hit.reduce((sum, each) => sum + size(each.tokens) - each.unmigrated, 0)
  return about(hit, () => ({
    id: 'edits-not-replicated',
    severity: 'warning',
    count,
    detail: `${counted(count, 'legacy update')} of migrated tokens did not reach the secondaries: up to 1.6.5 and in 1.7.0 to 1.7.3 their hash is null (CVE-2020-12797)`,
    avoid: 'Use 1.6.6, 1.7.4 or later, or change such tokens through the token API.',
  }))
}

function findRefusedWrites({ history }: Evidence): Found {
  const refused = new Map<
    string,
    { readonly at: number; readonly isNew: boolean; readonly reason: string; count: number }
  >()
  for (const each of history.records) {
    if ((each.kind !== 'tokens' && each.kind !== 'new-tokens') || each.refused === undefined) continue
    const isNew = each.kind === 'new-tokens' || each.api === 'new'
    const key = `${isNew} ${each.refused}`
    const known = refused.get(key) ?? { at: each.at, isNew, reason: each.refused, count: 0 }
    known.count += each.kind === 'tokens' ? size(each.tokens) : each.count
    refused.set(key, known)
  }
  return [...refused.values()].map(({ at, isNew, reason, count }) => ({
    id: isNew ? 'token-writes-refused' : 'legacy-writes-refused',
    severity: 'warning' as const,
    count,
    detail: `${counted(count, isNew ? 'write' : 'legacy write')}${isNew ? ' through the token API' : ''} refused: ${reason}`,
    avoid:
      REFUSAL_ADVICE.find(([start]) => reason.startsWith(start))?.[1] ??
      'Do not write tokens while servers are being replaced.',
    from: at,
  }))
}

const REFUSAL_ADVICE: readonly (readonly [string, string])[] = [
  ['Cannot use', 'Change management and converted tokens through the token API once they are migrated.'],
  ['Rules cannot', 'Leave out Rules, and link policies that grant the same.'],
  [
    'a token that has no accessor',
    'Wait until the migration is done: an update of an empty accessor creates another token instead.',
  ],
  ['Local tokens', 'Switch token replication on and give the datacenter a replication token.'],
  ['there is no token API', 'Use the legacy API until every server has left legacy mode.'],
  ['The ACL system', 'Use the legacy API until every server has left legacy mode.'],
]

/** An update through the token API without Rules removes all rights that came from the rules. */
function findDroppedRules({ history }: Evidence): Found {
  const dropped = recordsOf(history, 'tokens').filter((each) => (each.rulesDropped ?? 0) > 0)
  const count = dropped.reduce((sum, each) => sum + (each.rulesDropped ?? 0), 0)
  return about(dropped, (first) => ({
    id: 'rules-dropped',
    severity: 'critical',
    count,
    detail: `${counted(count, 'client token')} ${agrees(count, 'loses its', 'lose their')} rules from ${formatSeconds(first.at)} on: an update through the token API drops the rules of a legacy token, and only its policies grant rights afterwards`,
    avoid: 'Link policies that grant the same in the same update, and compare the decisions.',
  }))
}

function findRestores({ history }: Evidence): Found {
  return recordsOf(history, 'restored').map(({ at, datacenter, snapshotAt, writesLost, accessorsLost }) => {
    const accessors =
      accessorsLost === 0
        ? ''
        : `; ${counted(accessorsLost, 'token')} ${agrees(accessorsLost, 'loses its accessor and gets a new one', 'lose their accessors and get new ones')}`
    return {
      id: 'restore-loses-writes',
      severity: writesLost + accessorsLost > 0 ? ('warning' as const) : ('info' as const),
      count: writesLost,
      detail: `The restore at ${formatSeconds(at)} returns ${datacenter} to its snapshot of ${formatSeconds(snapshotAt)}: ${counted(writesLost, 'token write')} since then ${agrees(writesLost, 'is', 'are')} lost${accessors}`,
      avoid:
        'Take the snapshot right before the step that may have to be undone, and freeze token writes until it is confirmed.',
      from: at,
    }
  })
}
