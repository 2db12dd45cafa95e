/** The service itself: processes, replication, versions. Spec 9.3, 9.4. */
import * as z from 'zod'
import { coordSchema } from '../coordinates/routes.ts'
import { LEGACY_SECRET_LENGTH_MAX } from '../limits.ts'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { blockingQuery, checkedQuery, flagUnlessFalse, query, text, word } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'
import { changesSchema } from './changes-schemas.ts'

const said = (description: string) => z.string().meta({ description })
const counted = (description: string) => z.int().meta({ description, minimum: 0 })
const measured = (description: string) => z.number().meta({ description })

/** The state of replication from the primary datacenter. All values are zero in the primary. */
const replicationStatusSchema = z
  .strictObject({
    Enabled: z.boolean().meta({ description: 'Whether this datacenter replicates from a primary.' }),
    Running: z
      .boolean()
      .meta({
        description:
          'Whether an answer of the primary could be applied within the last minute, and replication is not paused.',
      }),
    SourceDatacenter: said('The primary datacenter; empty in the primary itself.'),
    ReplicationType: said('`tokens`, `policies` (without tokens) or `legacy` (nothing, in legacy mode).'),
    ReplicatedIndex: counted('Index of the primary up to which policies are replicated.'),
    ReplicatedRoleIndex: counted('Like ReplicatedIndex, for roles.'),
    ReplicatedTokenIndex: counted('Like ReplicatedIndex, for tokens.'),
    LastSuccess: said('When a round last succeeded. The zero time means never.'),
    LastError: said('When a round last failed. The zero time means never.'),
    LastErrorMessage: said('Why the last round failed.').optional(),
    Cluster: said(
      'Id of the primary’s store from which the records were copied; empty before the first copy.',
    ).optional(),
    PrimaryIndex: counted('Commit index of the primary in its last answer.').optional(),
    LagIndex: counted('How far the records are behind `PrimaryIndex`.').optional(),
    LagSeconds: measured(
      'Maximum age of the records, in seconds; 0 while the primary answers. The records may be older if no process has seen them up to date since it started.',
    ).optional(),
    State: z
      .enum(['copying', 'following', 'waiting', 'paused'])
      .optional()
      .meta({
        description:
          '`copying`: a first copy or a repair is in progress. `following`: the primary answers. `waiting`: it does not. `paused`: its answer must not be applied; `LastErrorMessage` says why.',
      }),
    Skipped: z
      .array(
        z
          .strictObject({
            AccessorID: said('Accessor of the token in the primary.'),
            Reason: said('Why it is not stored here.'),
          })
          .meta({ id: 'SkippedToken' }),
      )
      .optional()
      .meta({ description: 'Global tokens that cannot be stored here. They give no rights.' }),
    /** An extension. Decisions: changes. */
    Readers: z
      .array(
        z
          .strictObject({
            Name: said('Name that the reader gave.'),
            Index: counted('The reader has all changes up to this index of this datacenter.'),
            Lag: counted(
              'Distance from Index to the last change that the reader lacks; 0 if it has all changes.',
            ),
            LastContact: said('Time of its last request.'),
          })
          .meta({ id: 'ChangeReader' }),
      )
      .optional()
      .meta({
        description: 'Named readers that follow the changes of this datacenter. Absent if there are none.',
      }),
    /** An extension: a secondary waits for this mode. Spec 9.2.2. */
    Mode: z
      .enum(['legacy', 'enabled'])
      .optional()
      .meta({ description: 'Mode of the ACL system in this datacenter.' }),
  })
  .meta({ id: 'ReplicationStatus' })

/** The secret that a secondary datacenter presents to the primary. */
const replicationTokenSchema = z
  .strictObject({
    Token: boundedText(LEGACY_SECRET_LENGTH_MAX).meta({
      description:
        'SecretID of a global token of the primary datacenter with `acl:write`: printable ASCII without spaces.',
    }),
  })
  .meta({ id: 'ReplicationToken' })

const EXPECTED = 'A constant that existing clients expect.'

const memberSchema = z
  .strictObject({
    ID: said('Id of the server process.'),
    Name: said('Name of the server.'),
    Addr: said('Address that the process listens on.'),
    Port: counted('Port that the process listens on.'),
    Tags: z
      .record(z.string(), z.string())
      .meta({ description: 'Facts about the process, by which existing clients know servers.' }),
    Status: z.int().meta({ description: '1 alive, 3 left, 4 failed.' }),
    ProtocolMin: counted(EXPECTED),
    ProtocolMax: counted(EXPECTED),
    ProtocolCur: counted(EXPECTED),
    DelegateMin: counted(EXPECTED),
    DelegateMax: counted(EXPECTED),
    DelegateCur: counted(EXPECTED),
    Datacenter: said('Name of a datacenter.'),
    Version: said('Service version of the process.'),
  })
  .meta({ id: 'Member' })

/** From 1.0, Config is reduced and the full structure is in DebugConfig. Spec 9.3. */
const agentSelfSchema = z
  .strictObject({
    Config: z
      .record(z.string(), z.unknown())
      .meta({ description: 'A few settings; the whole configuration before 1.0.' }),
    DebugConfig: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({
        description:
          'The whole configuration, without secrets, and some of it under the names that existing clients read. Its structure may change with any release.',
      }),
    Coord: coordSchema.meta({ description: 'The coordinate of the node; by default, the origin.' }),
    Member: memberSchema.meta({ description: 'This process, as in the list of members.' }),
    Stats: z
      .record(z.string(), z.record(z.string(), z.string()))
      .meta({
        description:
          'Facts about each part of the process, as strings. `latchkey.version` is the version of Latchkey.',
      }),
    Meta: z.record(z.string(), z.string()).meta({ description: 'That the network has no segments.' }),
  })
  .meta({ id: 'AgentSelf' })

const metricLabels = z
  .record(z.string(), z.string())
  .meta({ description: 'Labels that distinguish series of the same name.' })

const gaugeSampleSchema = z
  .strictObject({
    Name: said('Name, as in the Prometheus format.'),
    Value: measured('Current value.'),
    Labels: metricLabels,
  })
  .meta({ id: 'GaugeSample' })

const valueSampleSchema = z
  .strictObject({
    Name: said('Name, as in the Prometheus format.'),
    Count: counted('Number of events.'),
    Rate: measured('Events per second since the process started.'),
    Sum: measured('Sum of all values.'),
    Min: measured('Lower bound of the smallest value.'),
    Max: measured('Upper bound of the largest value.'),
    Mean: measured('Mean of all values.'),
    Stddev: measured('Standard deviation, estimated from the buckets of the histogram.'),
    Labels: metricLabels,
  })
  .meta({ id: 'ValueSample' })

/** Metrics of a process, in the shape that existing clients expect. Spec 9.4 defines none. */
const agentMetricsSchema = z
  .strictObject({
    Timestamp: said('When the metrics were read, to the second, in UTC.'),
    Gauges: z.array(gaugeSampleSchema).meta({ description: 'Current values.' }),
    Points: z.array(z.never()).meta({ description: 'Always empty.' }),
    Counters: z.array(valueSampleSchema).meta({ description: 'Events since the process started.' }),
    Samples: z.array(valueSampleSchema).meta({ description: 'Measurements since the process started.' }),
  })
  .meta({ id: 'AgentMetrics' })
export type GaugeSample = z.infer<typeof gaugeSampleSchema>
export type ValueSample = z.infer<typeof valueSampleSchema>
export type AgentMetrics = z.infer<typeof agentMetricsSchema>

/** Progress of the accessor migration. Spec 8, 9.2.3; an extension. */
const migrationStatusSchema = z
  .strictObject({
    State: z
      .enum(['waiting', 'running', 'done'])
      .meta({
        description:
          '`waiting` for legacy mode to end, or in a secondary for accessors from the primary; `running`; or `done`.',
      }),
    Done: counted('Tokens that received an accessor.'),
    Total: counted('Those tokens, and the tokens that still lack an accessor.'),
    Batches: counted('Batches so far.'),
    TokensPerSecond: measured('Rate, measured over the batches without a long pause.'),
    EstimatedSeconds: measured('Time for the remaining tokens, at the limit of one batch a second.'),
    StartedAt: said('When the first batch of this run was written.').optional(),
    LastBatchAt: said('When the last batch was written.').optional(),
    LastError: said('The last error, if this process runs the migration.').optional(),
    WaitsFor: z
      .array(z.string())
      .optional()
      .meta({ description: 'What legacy mode waits for before it ends.' }),
  })
  .meta({ id: 'MigrationStatus' })

const versionChangeSchema = z
  .strictObject({
    Gate: said('Name of the version gate.'),
    Change: z.enum(['added', 'removed']).meta({ description: 'Whether the gate opens or closes.' }),
    At: said('The version that introduces the change.'),
    Kind: said('`field`, `endpoint`, `behaviour` or `limit`.'),
    SpecRow: said('Section of the API reference.'),
    Sentence: said('The behaviour before and after.'),
    ClientSees: said('What a client sees on the wire.'),
    BreaksClients: z.boolean().meta({ description: 'Whether the change can break a correct client.' }),
    DecidedBy: z
      .enum(['agent', 'server', 'both'])
      .meta({
        description: 'Whose version decides in a mixed cluster: the agent, the server behind it, or both.',
      }),
  })
  .meta({ id: 'VersionChange' })

/** A row of the method table. */
const row = { methodGate: 'http.enforceMethods', spec: '9.4' } as const
const open = { right: 'none', local: true, errors: [] } as const
const node = { right: 'agent:read', errors: [] } as const

export const operations = c.router({
  replication: get('/v1/acl/replication', replicationStatusSchema, {
    summary: 'Read the state of replication',
    description: 'In the primary datacenter all values are zero.',
    query: checkedQuery(),
    metadata: { ...open, ...row, checksReadOptions: true },
  }),
  changes: get('/v1/acl/changes', changesSchema, {
    summary: 'Follow namespaces, policies, roles and global tokens',
    description:
      'Without `index`, returns everything in pages. Afterwards, with the `Index` of the first page, returns the changes since. Applied as a whole, such an answer leads from the state at `index` to the state at its `Index`. Shows every secret.',
    query: blockingQuery({
      cluster: text('`Cluster` of earlier answers. If the server has another `Cluster`, it answers `Reset`.'),
      cursor: text('Continue after the page that came with this `Next-Cursor`. Without effect with `index`.'),
      reader: text(
        'Name of the reader, such as its datacenter: 1 to 64 letters, digits, `.`, `_` and `-`. The server keeps changes for named readers for up to a day.',
        { maxLength: 64 },
      ),
      staged: flagUnlessFalse(
        'If too much has changed since `index`, return the changes of the first commits and `More` instead of `Reset`.',
      ),
    }),
    metadata: {
      right: 'acl:write',
      gate: 'api.token',
      refusedInLegacyMode: true,
      blocking: 'changes',
      spec: 'extension',
      holdsSecrets: true,
      errors: ['primary_superseded'],
    },
  }),
  migration: get('/v1/internal/acl/migration', migrationStatusSchema, {
    summary: 'Read the progress of the accessor migration',
    description:
      'The number of legacy tokens that have received an accessor, and the estimated time for the others.',
    query: query({}),
    metadata: { right: 'acl:read', gate: 'api.token', spec: 'extension', errors: [] },
  }),
  leader: get('/v1/status/leader', z.string(), {
    summary: 'Read the address of the elected process',
    description:
      'As `host:port`, or empty if none is known. The elected process runs the jobs that only one process may run.',
    query: query({}),
    metadata: { ...open, ...row },
  }),
  peers: get('/v1/status/peers', z.array(z.string()), {
    summary: 'List the addresses of the server processes',
    description: 'As `host:port`, of the processes that are alive.',
    query: query({}),
    metadata: { ...open, ...row },
  }),
  self: get('/v1/agent/self', agentSelfSchema, {
    summary: 'Read the configuration and version of this process',
    description: 'Config has a few settings; DebugConfig has the whole configuration, without secrets.',
    query: query({}),
    metadata: { ...node, ...row, spec: '9.3' },
  }),
  setReplicationToken: put(
    '/v1/agent/token/replication',
    z.boolean().meta({ description: 'true: the secret is stored.' }),
    {
      summary: 'Set the token with which this datacenter replicates',
      description:
        'Applies to all processes of the datacenter and overrides their settings. An empty `Token` restores the settings. The secret is stored encrypted, and no endpoint returns it. Without effect in the primary datacenter.',
      query: query({}),
      body: replicationTokenSchema,
      metadata: {
        right: 'acl:write',
        writes: 'own',
        gate: 'api.replicationToken',
        body: 'json',
        spec: 'extension',
        errors: ['field_invalid'],
      },
    },
  ),
  members: get('/v1/agent/members', z.array(memberSchema), {
    summary: 'List the server processes',
    description:
      'Includes processes that failed or left recently. Shows processes on nodes that the caller may read.',
    query: query({
      wan: text('Not empty: names carry their datacenter, as in `db-1.dc1`.'),
      segment: text('Only `_all`, which existing clients send, and which has no effect.'),
    }),
    metadata: {
      ...{ right: 'catalog', rowRights: true, errors: [] },
      referenceStatuses: { 'query_invalid segment': 500 },
      ...row,
    },
  }),
  metrics: get('/v1/agent/metrics', agentMetricsSchema, {
    summary: 'Read the metrics of this process',
    description:
      'As JSON or in the text format of Prometheus. Counters start with the process; compare two answers to get a rate.',
    query: query({
      format: word(
        ['prometheus'],
        { description: '`prometheus`: answer in the text format of Prometheus.' },
        undefined,
      ),
    }),
    metadata: { ...node, ...row, otherAnswers: [{ type: 'text/plain', note: 'With `format=prometheus`' }] },
  }),
  datacenters: get('/v1/catalog/datacenters', z.array(z.string()), {
    summary: 'List the known datacenters',
    description: 'The datacenters that `dc` may name, the local one first.',
    query: query({}),
    metadata: { ...open, ...row },
  }),
  versions: get('/v1/internal/versions', z.array(versionChangeSchema), {
    summary: 'List the changes between two service versions',
    description: 'Every version gate that opens or closes after `from` and up to `to`, oldest first.',
    query: query({
      from: text('A service version, such as `1.3.0`.'),
      to: text('A service version not older than `from`.'),
    }),
    metadata: { right: 'none', local: true, spec: 'extension', errors: ['version_invalid'] },
  }),
  openapi: get('/v1/openapi.json', z.record(z.string(), z.unknown()), {
    summary: 'Read this API as OpenAPI 3.1',
    description: 'This document, for the service version of the server.',
    query: query({}),
    metadata: { ...open, spec: 'extension' },
  }),
} satisfies ContractRoutes)
