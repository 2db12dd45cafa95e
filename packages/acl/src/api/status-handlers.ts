/** What the service says of itself. Spec 9.3, 9.4. */
import { AclError, changesBetween, formatInstant, parseServiceVersion, ZERO_TIME } from '@latchkey/contract'
import type { Store } from '../store/store.ts'
import { type MigrationRecord, NO_BATCHES } from '../upgrade/migration.ts'
import { migrationProgress } from '../upgrade/progress.ts'
import { aclModeOf } from './acl-mode.ts'
import { type Answer, type Call, json } from './call.ts'
import type { ClusterMember } from './options.ts'

export async function leaderHandler(call: Call): Promise<Answer> {
  return json(await call.api.cluster.leader())
}

export async function peersHandler(call: Call): Promise<Answer> {
  const members = await call.api.cluster.members()
  return json(members.filter((member) => member.status === 'alive').map((member) => member.address))
}

export function datacentersHandler(call: Call): Answer {
  return json(call.api.cluster.datacenters())
}

export async function membersHandler(call: Call): Promise<Answer> {
  const members = await call.api.cluster.members()
  return json(members.map(showMember))
}

/** Config is reduced from 1.0, and the full structure stands under DebugConfig. Spec 9.3. */
export function agentSelfHandler(call: Call): Answer {
  const { api, directory } = call
  const self = api.cluster.self()
  const debugConfig = api.cluster.debugConfig()
  const reduced = {
    Datacenter: api.datacenter,
    NodeName: api.nodeName,
    NodeID: self.id,
    Revision: '',
    Server: true,
    Version: api.profile.version.text,
  }
  const isReduced = api.profile.has('agent.reducedSelf')
  // Before 1.4.0 there is one ACL system, and nothing to say of its mode. Reference, upgrade 1.1.
  const knowsModes = api.profile.has('upgrade.legacyMode')
  const aclMode = api.aclEnabled ? aclModeOf(directory) : 'disabled'
  return json({
    Config: isReduced ? reduced : { ...debugConfig, ...reduced },
    ...(isReduced ? { DebugConfig: debugConfig } : {}),
    Stats: { latchkey: { ...(knowsModes ? { acl: aclMode } : {}), server: 'true' } },
    Member: showMember(self),
    Meta: {},
  })
}

const MEMBER_STATUS = { alive: 1, left: 3, failed: 4 } as const

function showMember(member: ClusterMember) {
  const colon = member.address.lastIndexOf(':')
  return {
    ID: member.id,
    Name: member.node,
    Addr: member.address.slice(0, colon),
    Port: Number(member.address.slice(colon + 1)),
    Tags: {
      role: 'server',
      ...(member.mode === 'unknown' ? {} : { acls: ACL_TAG[member.mode] }),
      build: member.version,
    },
    Status: MEMBER_STATUS[member.status],
    Datacenter: member.datacenter,
    Version: member.version,
  }
}

/** As the reference's gossip tag `acls`, which a server before 1.4.0 does not have. */
const ACL_TAG = { disabled: '0', enabled: '1', legacy: '2' } as const

export async function metricsHandler(call: Call): Promise<Answer> {
  const { samples, prometheus } = await call.api.cluster.metrics()
  if (call.query.get('format') !== 'prometheus') return json(samples)
  const bytes = new TextEncoder().encode(prometheus)
  return { body: { kind: 'bytes', bytes, contentType: 'text/plain; version=0.0.4; charset=utf-8' } }
}

/** Zero values in the primary datacenter. Reference 5.7. */
export function replicationHandler(call: Call): Answer {
  const state = call.api.cluster.replication()
  return json({
    Enabled: state?.enabled ?? false,
    Running: state?.running ?? false,
    SourceDatacenter: state?.sourceDatacenter ?? '',
    ReplicationType: state?.type ?? '',
    ReplicatedIndex: state?.index ?? 0,
    ReplicatedRoleIndex: state?.index ?? 0,
    ReplicatedTokenIndex: state?.index ?? 0,
    LastSuccess: state?.lastSuccess ?? ZERO_TIME,
    LastError: state?.lastError ?? ZERO_TIME,
    ...(state?.lastErrorMessage ? { LastErrorMessage: state.lastErrorMessage } : {}),
    Mode: aclModeOf(call.directory),
  })
}

/** Progress of the accessor migration. Spec 8, 9.2.3. */
export async function migrationHandler(call: Call): Promise<Answer> {
  const { api } = call
  const { directory, record, remaining } = await migrationFacts(api.store)
  const lastError = api.cluster.migrationError?.()
  const mode = aclModeOf(directory)
  const progress = migrationProgress({
    record,
    remaining,
    aclMode: mode === 'legacy' ? { mode } : { mode, since: 0 },
    isPrimary: api.cluster.replication() === undefined,
    now: call.now,
  })
  return json({
    State: progress.state,
    Done: progress.done,
    Total: progress.total,
    Batches: progress.batches,
    TokensPerSecond: progress.rate,
    EstimatedSeconds: progress.estimateSeconds,
    ...(record.run ? { StartedAt: formatInstant(record.run.startedAt) } : {}),
    ...(record.lastBatchAt === undefined ? {} : { LastBatchAt: formatInstant(record.lastBatchAt) }),
    ...(lastError === undefined ? {} : { LastError: lastError }),
    ...(mode === 'legacy' ? { WaitsFor: api.cluster.legacyModeWaitsFor() } : {}),
  })
}

/** What was done and what is left, of the same moment: a batch in between would be counted twice, or not at all. */
async function migrationFacts(store: Store) {
  for (;;) {
    const before = (await store.directory()).system('migration')
    const remaining = await store.countTokens({ withoutAccessor: true })
    const directory = await store.directory()
    const after = directory.system('migration')
    if (after?.ModifyIndex !== before?.ModifyIndex) continue
    return { directory, remaining, record: (after?.Value as MigrationRecord | undefined) ?? NO_BATCHES }
  }
}

/** What changes between two versions: the migrator's source. */
export function versionsHandler(call: Call): Answer {
  const version = (option: 'from' | 'to') => {
    const text = call.query.get(option)
    if (text === undefined) {
      throw new AclError('query_invalid', `${option} is missing: a service version such as 1.3.0`, {
        field: option,
      })
    }
    return parseServiceVersion(text, option)
  }
  return json(
    changesBetween(version('from'), version('to')).map((change) => ({
      Gate: change.gate,
      Change: change.change,
      At: change.at,
      Kind: change.kind,
      SpecRow: change.specRow,
      Sentence: change.sentence,
      ClientSees: change.clientSees,
      BreaksClients: change.breaksClients,
      DecidedBy: change.decidedBy,
    })),
  )
}

/** This API as an OpenAPI document. */
export function openapiHandler(call: Call): Answer {
  return json(call.api.openapi())
}
