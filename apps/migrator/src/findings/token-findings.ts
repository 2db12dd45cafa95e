/** Findings about tokens: missing accessors, ghosts, replication, and the time of the migration. Spec 8, 9.2.3. */
import type { ServiceVersion } from '@latchkey/contract'
import { recordsOf } from '../check/facts.ts'
import { formatSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/history.ts'
import { size } from '../simulate/tokens/ranges.ts'
import { ACCESSORS_REQUIRED, isAtLeast, NEW_ACLS } from '../version.ts'
import { agrees, counted, type Evidence, type Finder, type Found } from './finding.ts'

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
  return history.stores.flatMap(({ datacenter, unmigrated }) => {
    const count = size(unmigrated)
    if (count === 0) return []
    return {
      id: 'accessors-missing',
      severity: history.isSettled ? ('critical' as const) : ('warning' as const),
      count,
      detail: `${counted(count, 'token')} of ${datacenter} ${agrees(count, 'has', 'have')} no accessor at the end: the token API shows ${agrees(count, 'it', 'them')} with an empty AccessorID and cannot address ${agrees(count, 'it', 'them')}${versionNote(history)}`,
      avoid: history.isSettled
        ? 'Remove the blockers listed above; no later version assigns these accessors.'
        : 'Simulate longer (duration): the migration was still running.',
      to: history.endedAt,
    }
  })
}

function versionNote(history: History): string {
  const isLate = ranSince(history, ACCESSORS_REQUIRED)
  return isLate ? '; versions from 1.15 on refuse to start from a snapshot with such tokens' : ''
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
  const [first] = close
  if (first === undefined) return []
  return {
    id: 'batches-close-at-takeover',
    severity: 'info',
    count: close.length,
    detail: `${close.length === 1 ? 'one batch' : `${close.length} batches`} less than a second after the previous one, because a new leader starts without waiting`,
    avoid: 'Nothing to do; do not restart the leader during the migration if the load matters.',
    from: first.at,
  }
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
