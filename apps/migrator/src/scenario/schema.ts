/** The scenario file. Defaults, bounds, the JSON Schema and the types in scenario.ts derive from it. */
import * as z from 'zod'
import {
  acls,
  between,
  count,
  eventSchema,
  name,
  rules,
  seconds,
  serviceVersion,
  tokenType,
  workloadSchema,
} from './schema-parts.ts'

const SERVERS_MAX = 200

export const agentSchema = z
  .strictObject({
    id: name.describe('Unique in the whole scenario.'),
    datacenter: name.optional().describe('Only in a list at the top of the file.'),
    version: serviceVersion.optional().describe('From `start` on. Default: the `version` of the file.'),
    start: seconds.optional().describe('When `version` starts (default 0). A server runs `from` before.'),
  })
  .meta({ id: 'agent' })

export const serverSchema = z
  .strictObject({
    ...agentSchema.shape,
    from: serviceVersion.optional().describe('Version before `start`. Default: the `from` of the scenario.'),
    acls: acls.default(true),
    leader: z.boolean().optional().describe('Leads from the start. Default: the first listed.'),
    status: z.enum(['alive', 'failed', 'left']).default('alive').describe('The dead are still listed.'),
  })
  .meta({ id: 'server' })

function listOf<S extends z.ZodType>(member: S, noun: string) {
  const error = `expected a number of ${noun} (1 to ${SERVERS_MAX}), or a list of {id, start, …}`
  return z.union([z.int().min(1).max(SERVERS_MAX), z.array(member).max(SERVERS_MAX)], { error }).default([])
}
const servers = listOf(serverSchema, 'servers')
const agents = listOf(agentSchema, 'agents').describe('Client agents. They leave legacy mode last.')

const datacenterSchema = z.strictObject({
  name,
  primary: z.boolean().default(false).describe('Absent everywhere: the first datacenter is the primary.'),
  servers,
  agents,
  tokenReplication: z.boolean().default(true).describe('Whether a secondary keeps copies of the tokens.'),
  replicationToken: z.enum(['write', 'read', 'none']).default('write').describe('Its right, or no token.'),
  localTokens: count.default(0).describe('Local tokens at the beginning, from 1.4.0 on. Never replicated.'),
})

export const tokenGroupSchema = z.strictObject({
  type: tokenType.default('client'),
  count: count.default(1).describe('Number of tokens of this kind.'),
  rules: rules.optional(),
  name: z.string().max(4_096).optional(),
  unwritable: z.boolean().default(false).describe('Its batch is rolled back and retried forever.'),
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

const service = z.string().min(1).max(256)
const namespace = z.string().min(1).max(64)
export const intentionSchema = z
  .strictObject({
    source: service,
    destination: service,
    action: z.enum(['allow', 'deny']).optional(),
    namespace: namespace.default('default').describe('Of the destination.'),
    sourceNamespace: namespace.default('default').describe('Of the source.'),
    meta: z.boolean().default(false).describe('Whether it carries Meta.'),
  })
  .transform(({ action, meta, ...rest }) => ({ ...rest, hasMeta: meta }))

export const scenarioSchema = z
  .strictObject({
    name: z.string().max(200).default('scenario'),
    description: z.string().max(10_000).optional(),
    model: z.enum(['service', 'latchkey']).default('service').describe('`--model` overrides it.'),
    seed: z.int().min(0).max(4_294_967_295).default(1).describe('`--seed` overrides it.'),
    duration: seconds.optional().describe('End of the simulation. Default: when nothing can change.'),
    primary: name.optional().describe('Name of the primary datacenter.'),
    from: serviceVersion.prefault('1.3.1').describe('Version of the servers before their `start`.'),
    version: serviceVersion.prefault('1.4.0').describe('Version of the servers from their `start` on.'),
    gossipDelay: seconds.prefault(0).describe('Until a message has reached the whole datacenter.'),
    gossipJitter: seconds.prefault(0).describe('Maximum random delay added to each gossip message.'),
    networkDelay: seconds.prefault(0).describe('One-way delay between two datacenters.'),
    failureDetection: seconds.prefault(0).describe('Time until the others see a dead server as failed.'),
    electionTime: seconds.optional().describe('Time without a leader. Default 5 (model latchkey: 1).'),
    commitTime: seconds.prefault(0).describe('Time from the read to the write of one batch of accessors.'),
    bootstrapped: z.boolean().optional().describe('Whether bootstrap is refused. Absent: unknown.'),
    defaultPolicy: z.enum(['allow', 'deny']).default('deny'),
    connect: z.boolean().default(true).describe('Whether connect is enabled.'),
    datacenters: z.array(datacenterSchema).min(1).max(50),
    servers,
    agents,
    links: z
      .array(z.strictObject({ between, delay: seconds }))
      .max(1_000)
      .default([])
      .describe('Delays between two datacenters that differ from `networkDelay`.'),
    legacyTokens: z
      .union(
        [
          count,
          z.strictObject({ client: count.default(0), management: count.default(0) }),
          z.array(z.union([tokenGroupSchema, tokenRecordSchema])).max(100_000),
        ],
        {
          error:
            'expected a number of client tokens, {client, management}, or a list of {type, count, rules}',
        },
      )
      .default(0)
      .describe('Legacy tokens of the primary that have no accessor when the scenario begins.'),
    intentions: z
      .union([count, z.array(intentionSchema).max(100_000)], {
        error: 'expected a number of destinations, or a list of {source, destination}',
      })
      .default(0)
      .describe('Intentions created before 1.9.0.'),
    workloads: z.array(workloadSchema).max(500).default([]),
    events: z.array(eventSchema).max(10_000).default([]),
  })
  .meta({
    title: 'Scenario of an upgrade',
    description:
      'A cluster and the events that happen to it. Times are seconds from the start of the scenario, as a number or a text such as "90s".',
  })

export type ScenarioInput = z.input<typeof scenarioSchema>
export type ScenarioFile = z.output<typeof scenarioSchema>
export type ServerFile = z.output<typeof serverSchema>
export type AgentFile = z.output<typeof agentSchema>

/** The schema as JSON Schema, for editors and generators. `pnpm generate` writes it to scenario.schema.json. */
export function renderJsonSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(scenarioSchema, { io: 'input' }), null, 2)}\n`
}
