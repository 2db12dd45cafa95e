/** Answers about the service itself. Spec 9.3, 9.4. */
import * as z from 'zod'

/** The state of replication from the primary datacenter. Zero values in the primary. Reference 5.7. */
export const replicationStatusSchema = z
  .strictObject({
    Enabled: z.boolean(),
    Running: z.boolean(),
    SourceDatacenter: z.string(),
    ReplicationType: z.string(),
    ReplicatedIndex: z.int(),
    ReplicatedRoleIndex: z.int(),
    ReplicatedTokenIndex: z.int(),
    LastSuccess: z.string(),
    LastError: z.string(),
    LastErrorMessage: z.string().optional(),
    /** Extension: the ACL mode of this datacenter, which a secondary waits for. Spec 9.2.2. */
    Mode: z.enum(['legacy', 'enabled']).optional(),
  })
  .meta({ id: 'ReplicationStatus' })

export const memberSchema = z
  .strictObject({
    ID: z.string(),
    Name: z.string(),
    Addr: z.string(),
    Port: z.int(),
    Tags: z.record(z.string(), z.string()),
    Status: z.int().meta({ description: '1 alive, 3 left, 4 failed.' }),
    Datacenter: z.string(),
    Version: z.string(),
  })
  .meta({ id: 'Member' })

/** Config is reduced from 1.0, the full structure moves under DebugConfig. Spec 9.3. */
export const agentSelfSchema = z
  .strictObject({
    Config: z.record(z.string(), z.unknown()),
    DebugConfig: z.record(z.string(), z.unknown()).optional(),
    Stats: z.record(z.string(), z.record(z.string(), z.string())),
    Member: memberSchema,
    Meta: z.record(z.string(), z.string()),
  })
  .meta({ id: 'AgentSelf' })

const metricLabelsSchema = z.record(z.string(), z.string())

export const gaugeSampleSchema = z
  .strictObject({ Name: z.string(), Value: z.number(), Labels: metricLabelsSchema })
  .meta({ id: 'GaugeSample' })

export const valueSampleSchema = z
  .strictObject({
    Name: z.string(),
    Count: z.int(),
    Rate: z.number(),
    Sum: z.number(),
    Min: z.number(),
    Max: z.number(),
    Mean: z.number(),
    Stddev: z.number(),
    Labels: metricLabelsSchema,
  })
  .meta({ id: 'ValueSample' })

/** Metrics of a process, in the shape that clients of the reference read. Spec 9.4 gives none. */
export const agentMetricsSchema = z
  .strictObject({
    Timestamp: z.string(),
    Gauges: z.array(gaugeSampleSchema),
    Points: z.array(z.never()),
    Counters: z.array(valueSampleSchema),
    Samples: z.array(valueSampleSchema),
  })
  .meta({ id: 'AgentMetrics' })
export type GaugeSample = z.infer<typeof gaugeSampleSchema>
export type ValueSample = z.infer<typeof valueSampleSchema>
export type AgentMetrics = z.infer<typeof agentMetricsSchema>

/** Progress of the accessor migration. Spec 8, 9.2.3; an extension. */
export const migrationStatusSchema = z
  .strictObject({
    State: z.enum(['waiting', 'running', 'done']),
    Done: z.int(),
    Total: z.int(),
    Batches: z.int(),
    TokensPerSecond: z.number(),
    EstimatedSeconds: z.number(),
    StartedAt: z.string().optional(),
    LastBatchAt: z.string().optional(),
    LastError: z.string().optional(),
    WaitsFor: z.array(z.string()).optional(),
  })
  .meta({ id: 'MigrationStatus' })

export const versionChangeSchema = z
  .strictObject({
    Gate: z.string(),
    Change: z.enum(['added', 'removed']),
    At: z.string(),
    Kind: z.string(),
    SpecRow: z.string(),
    Sentence: z.string(),
    ClientSees: z.string(),
    BreaksClients: z.boolean(),
    DecidedBy: z.enum(['agent', 'server', 'both']),
  })
  .meta({ id: 'VersionChange' })

export const importResultSchema = z
  .strictObject({
    Imported: z.int(),
    Unchanged: z.int(),
    Problems: z.array(
      z.strictObject({
        Position: z.int(),
        Code: z.string(),
        Message: z.string(),
        Severity: z.enum(['error', 'warning']),
      }),
    ),
  })
  .meta({ id: 'ImportResult' })
