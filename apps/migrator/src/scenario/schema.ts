/**
 * The scenario file: a cluster and its events. This schema is the contract with the operator. The JSON Schema
 * (scenario.schema.json) and the table in the README are derived from it; resolve.ts checks rules across the parts of a
 * file and resolves its meaning.
 */
import * as z from 'zod'
import { between, eventSchema } from './schema-events.ts'
import { acls, count, name, seconds, tokenType, versionText } from './schema-parts.ts'
import { workloadSchema } from './schema-workloads.ts'

/** Maximum number of servers or agents in a scenario, because the simulation runs every check of each. */
const SERVERS_MAX = 200
const DATACENTERS_MAX = 50
const EVENTS_MAX = 10_000
const WORKLOADS_MAX = 500

const serverSchema = z.strictObject({
  id: name.describe('Unique in the whole scenario.'),
  datacenter: name.optional().describe('Only in the list `servers` of the scenario.'),
  version: versionText
    .optional()
    .describe('Version from `start` on. Default: the `version` of the scenario.'),
  start: seconds
    .optional()
    .describe(
      'When its process with `version` starts. Until then the server runs the version `from`. Default 0.',
    ),
  from: versionText.optional().describe('Version before `start`. Default: the `from` of the scenario.'),
  acls: acls.optional(),
  leader: z
    .boolean()
    .optional()
    .describe(
      'Leads its datacenter from the start of the scenario and through its own planned start. Default: the first listed.',
    ),
  status: z
    .enum(['alive', 'failed', 'left'])
    .optional()
    .describe('`failed` or `left`: a dead server that the others still list. Default alive.'),
})

const agentSchema = z.strictObject({
  id: name,
  datacenter: name.optional().describe('Only in the list `agents` of the scenario.'),
  version: versionText.optional(),
  start: seconds.optional(),
})

const memberCount = z.int().min(1).max(SERVERS_MAX)
const servers = z.union([memberCount, z.array(serverSchema).max(SERVERS_MAX)], {
  error: `expected a number of servers (1 to ${SERVERS_MAX}), or a list of {id, start, …}`,
})
const agents = z.union([memberCount, z.array(agentSchema).max(SERVERS_MAX)], {
  error: `expected a number of agents (1 to ${SERVERS_MAX}), or a list of {id, start, …}`,
})

const datacenterSchema = z.strictObject({
  name,
  primary: z.boolean().optional().describe('Default: the first datacenter is the primary.'),
  servers: servers.optional(),
  agents: agents.optional().describe('Client agents. They leave legacy mode last.'),
  tokenReplication: z
    .boolean()
    .optional()
    .describe('Whether a secondary keeps copies of the tokens. Default true.'),
  replicationToken: z
    .enum(['write', 'read', 'none'])
    .optional()
    .describe(
      'Right of the replication token of a secondary: acl:write, acl:read, or no token. Default write.',
    ),
  localTokens: count
    .optional()
    .describe(
      'Local tokens at the beginning, which exist from 1.4.0 on and are never replicated. Default 0.',
    ),
})

const tokenGroupSchema = z.strictObject({
  type: tokenType.optional().describe('Default client.'),
  count: count.optional().describe('Number of tokens of this kind. Default 1.'),
  rules: z.string().max(262_144).optional().describe('Legacy rules, as text.'),
  name: z.string().max(4_096).optional(),
  unwritable: z
    .boolean()
    .optional()
    .describe(
      'Writing such a token fails, so its batch is rolled back and retried every second, forever (model service).',
    ),
})

/** A token as the list of the legacy API shows it. Its secret is never shown. */
const tokenRecordSchema = z
  .strictObject({
    ID: z.string().describe('The secret. No output shows it.'),
    Name: z.string().optional(),
    Type: z.string().optional(),
    Rules: z.string().optional(),
    CreateIndex: z.int().min(0).optional(),
    ModifyIndex: z.int().min(0).optional(),
  })
  .describe('A record of the legacy list (`GET /v1/acl/list`).')

const intentionSchema = z.strictObject({
  source: z.string().min(1).max(256),
  destination: z.string().min(1).max(256),
  action: z.enum(['allow', 'deny']).optional(),
  namespace: z.string().min(1).max(64).optional().describe('Of the destination. Default `default`.'),
  sourceNamespace: z.string().min(1).max(64).optional().describe('Of the source. Default `default`.'),
  meta: z.boolean().optional().describe('Whether it carries Meta. Default false.'),
})

/** The file as written. */
export const scenarioSchema = z
  .strictObject({
    name: z.string().max(200).optional(),
    description: z.string().max(10_000).optional(),
    model: z.enum(['service', 'latchkey']).optional().describe('Default service. `--model` overrides it.'),
    seed: z.int().min(0).max(4_294_967_295).optional().describe('Default 1. `--seed` overrides it.'),
    duration: seconds
      .optional()
      .describe(
        'End of the simulation. Default: when nothing can change without a further event; with workloads, a minute later.',
      ),
    primary: name.optional().describe('Name of the primary datacenter.'),
    from: versionText.optional().describe('Version of the servers before their `start`. Default 1.3.1.'),
    version: versionText.optional().describe('Version of the servers from their `start` on. Default 1.4.0.'),
    gossipDelay: seconds
      .optional()
      .describe('Time for a gossip message to reach all servers of a datacenter. Default 0: a millisecond.'),
    gossipJitter: seconds
      .optional()
      .describe('Maximum random delay added to each gossip message. Default 0.'),
    networkDelay: seconds
      .optional()
      .describe('One-way delay between two datacenters, for gossip and replication. Default 0.'),
    failureDetection: seconds
      .optional()
      .describe('Time until the others see a dead or unreachable server as failed. Default 0.'),
    electionTime: seconds
      .optional()
      .describe('Time from the loss of a leader to the next one. Default 5 (model latchkey: 1).'),
    commitTime: seconds
      .optional()
      .describe('Time from the read to the write of one batch of accessors. Default 0.'),
    bootstrapped: z
      .boolean()
      .optional()
      .describe('Whether the cluster refuses bootstrap before the upgrade. Absent: unknown.'),
    defaultPolicy: z.enum(['allow', 'deny']).optional().describe('Default deny.'),
    connect: z.boolean().optional().describe('Whether connect is enabled. Default true.'),
    datacenters: z.array(datacenterSchema).min(1).max(DATACENTERS_MAX),
    servers: servers.optional(),
    agents: agents.optional(),
    links: z
      .array(z.strictObject({ between, delay: seconds }))
      .max(1_000)
      .optional()
      .describe('Delays between two datacenters that differ from `networkDelay`.'),
    legacyTokens: z
      .union(
        [
          count,
          z.strictObject({ client: count.optional(), management: count.optional() }),
          z.array(z.union([tokenGroupSchema, tokenRecordSchema])).max(100_000),
        ],
        {
          error:
            'expected a number of client tokens, {client, management}, or a list of {type, count, rules}',
        },
      )
      .optional()
      .describe('Legacy tokens of the primary that have no accessor when the scenario begins.'),
    intentions: z
      .union([count, z.array(intentionSchema).max(100_000)], {
        error: 'expected a number of destinations, or a list of {source, destination}',
      })
      .optional()
      .describe('Intentions created before 1.9.0.'),
    workloads: z.array(workloadSchema).max(WORKLOADS_MAX).optional(),
    events: z.array(eventSchema).max(EVENTS_MAX).optional(),
  })
  .meta({
    title: 'Scenario of an upgrade',
    description:
      'A cluster and the events that happen to it. Times are seconds from the start of the scenario, as a number or a text such as "90s".',
  })

export type ScenarioInput = z.infer<typeof scenarioSchema>
export type ServerInput = z.infer<typeof serverSchema>
export type AgentInput = z.infer<typeof agentSchema>
export type EventInput = z.infer<typeof eventSchema>

/** The schema as JSON Schema, for editors and generators. `pnpm generate` writes it to scenario.schema.json. */
export function renderJsonSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(scenarioSchema, { io: 'input' }), null, 2)}\n`
}
