/** Answers about the service itself. Spec 9.3, 9.4. */
import * as z from 'zod'

const said = (description: string) => z.string().meta({ description })
const counted = (description: string) => z.int().meta({ description, minimum: 0 })
const measured = (description: string) => z.number().meta({ description })

/** The state of replication from the primary datacenter. Zero values in the primary. */
export const replicationStatusSchema = z
  .strictObject({
    Enabled: z.boolean().meta({ description: 'Whether this datacenter replicates from a primary.' }),
    Running: z.boolean().meta({ description: 'Whether replication runs now.' }),
    SourceDatacenter: said('The primary datacenter; empty in the primary itself.'),
    ReplicationType: said('What is replicated, in a word.'),
    ReplicatedIndex: counted('Index of the primary up to which policies are here.'),
    ReplicatedRoleIndex: counted('The same for roles.'),
    ReplicatedTokenIndex: counted('The same for tokens.'),
    LastSuccess: said('When a round last succeeded; the zero time for never.'),
    LastError: said('When a round last failed; the zero time for never.'),
    LastErrorMessage: said('Why it failed.').optional(),
    /** Extension: a secondary waits for it. Spec 9.2.2. */
    Mode: z
      .enum(['legacy', 'enabled'])
      .optional()
      .meta({ description: 'Mode of the ACL system in this datacenter.' }),
  })
  .meta({ id: 'ReplicationStatus' })

export const memberSchema = z
  .strictObject({
    ID: said('Id of the server process.'),
    Name: said('Name of the server.'),
    Addr: said('Address it listens on.'),
    Port: counted('Port it listens on.'),
    Tags: z
      .record(z.string(), z.string())
      .meta({ description: 'Facts that the process tells of itself, as texts.' }),
    Status: z.int().meta({ description: '1 alive, 3 left, 4 failed.' }),
    Datacenter: said('Name of a datacenter.'),
    Version: said('Service version it speaks as.'),
  })
  .meta({ id: 'Member' })

/** Config is reduced from 1.0, the full structure moves under DebugConfig. Spec 9.3. */
export const agentSelfSchema = z
  .strictObject({
    Config: z
      .record(z.string(), z.unknown())
      .meta({ description: 'A few settings; the whole configuration before 1.0.' }),
    DebugConfig: z
      .record(z.string(), z.unknown())
      .optional()
      .meta({ description: 'The whole configuration without secrets. May change any time.' }),
    Stats: z.record(z.string(), z.record(z.string(), z.string())).meta({
      description:
        'Facts about the process by part, as texts. `latchkey.version` is the version of Latchkey.',
    }),
    Member: memberSchema.meta({ description: 'This process as the member list shows it.' }),
    Meta: z.record(z.string(), z.string()).meta({ description: 'Empty.' }),
  })
  .meta({ id: 'AgentSelf' })

const metricLabels = z
  .record(z.string(), z.string())
  .meta({ description: 'What tells series of one name apart.' })

export const gaugeSampleSchema = z
  .strictObject({
    Name: said('As in the text for Prometheus.'),
    Value: measured('The value now.'),
    Labels: metricLabels,
  })
  .meta({ id: 'GaugeSample' })

export const valueSampleSchema = z
  .strictObject({
    Name: said('As in the text for Prometheus.'),
    Count: counted('How many.'),
    Rate: measured('How many a second since the start.'),
    Sum: measured('Of all values.'),
    Min: measured('Lower bound of the least value.'),
    Max: measured('Upper bound of the greatest value.'),
    Mean: measured('Sum by count.'),
    Stddev: measured('As near as the bounds of the histogram tell.'),
    Labels: metricLabels,
  })
  .meta({ id: 'ValueSample' })

/** Metrics of a process, in the shape that clients of the reference read. Spec 9.4 gives none. */
export const agentMetricsSchema = z
  .strictObject({
    Timestamp: said('When the metrics were read, to the second, in UTC.'),
    Gauges: z.array(gaugeSampleSchema).meta({ description: 'Values as they are now.' }),
    Points: z.array(z.never()).meta({ description: 'Always empty.' }),
    Counters: z
      .array(valueSampleSchema)
      .meta({ description: 'Events, counted from the start of the process.' }),
    Samples: z
      .array(valueSampleSchema)
      .meta({ description: 'Measured values, from the start of the process.' }),
  })
  .meta({ id: 'AgentMetrics' })
export type GaugeSample = z.infer<typeof gaugeSampleSchema>
export type ValueSample = z.infer<typeof valueSampleSchema>
export type AgentMetrics = z.infer<typeof agentMetricsSchema>

/** Progress of the accessor migration. Spec 8, 9.2.3; an extension. */
export const migrationStatusSchema = z
  .strictObject({
    State: z
      .enum(['waiting', 'running', 'done'])
      .meta({ description: 'waiting for legacy mode to end, running, or done.' }),
    Done: counted('Tokens that have been given an accessor.'),
    Total: counted('Those, and the ones that still lack one.'),
    Batches: counted('Batches so far.'),
    TokensPerSecond: measured('Measured over the batches without a long pause.'),
    EstimatedSeconds: measured('What is left, by the law of batches.'),
    StartedAt: said('Instant of the first batch of this run.').optional(),
    LastBatchAt: said('Instant of the last batch.').optional(),
    LastError: said('What went wrong last, where this process runs it.').optional(),
    WaitsFor: z
      .array(z.string())
      .optional()
      .meta({ description: 'In legacy mode: what has to happen before it ends.' }),
  })
  .meta({ id: 'MigrationStatus' })

export const versionChangeSchema = z
  .strictObject({
    Gate: said('Name of the version gate.'),
    Change: z.enum(['added', 'removed']).meta({ description: 'Whether the gate opens or closes.' }),
    At: said('The version that brings the change.'),
    Kind: said('field, endpoint, behaviour or limit.'),
    SpecRow: said('Section of the API reference.'),
    Sentence: said('Before and after.'),
    ClientSees: said('What a client sees on the wire.'),
    BreaksClients: z.boolean().meta({
      description: 'Whether a client that was right before can be refused or misled.',
    }),
    DecidedBy: z.enum(['agent', 'server', 'both']).meta({
      description:
        'Whose version counts where they are mixed: the agent that is asked, the server behind it, or both.',
    }),
  })
  .meta({ id: 'VersionChange' })
