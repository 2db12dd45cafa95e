/**
 * The scenario file: what a cluster is and what happens to it. This schema is the contract with the operator; the
 * JSON Schema beside it (scenario.schema.json) and the table in the README are derived from it. What a file means, and
 * what must hold between its parts, is decided in resolve.ts.
 */
import * as z from 'zod'

/** Most servers or agents in one scenario: every look of every server is played. */
export const SERVERS_MAX = 200
export const DATACENTERS_MAX = 50
export const EVENTS_MAX = 10_000
export const WORKLOADS_MAX = 500
/** Most legacy tokens of one scenario, over all groups. */
export const TOKENS_MAX = 1_000_000_000
/** Longest time on the clock of a scenario: a year. */
export const SECONDS_MAX = 366 * 86_400

const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a name has 1 to 64 letters, digits, dots, dashes or underscores',
  )

const seconds = z
  .union(
    [
      z.number().min(0).max(SECONDS_MAX),
      z
        .string()
        .regex(
          /^(\d+(\.\d+)?(ms|s|m|h))+$|^\d+(\.\d+)?$/,
          'expected a duration such as "90s", "1h30m" or "250ms"',
        ),
    ],
    { error: `expected seconds as a number (0 to ${SECONDS_MAX}), or a text such as "90s" or "1h30m"` },
  )
  .meta({ examples: [12.5, '90s', '1h30m'] })

const versionText = z
  .string()
  .regex(/^\d{1,4}\.\d{1,4}(\.\d{1,4})?$/, 'expected a version such as 1.4.0')
  .meta({ examples: ['1.4.0', '1.11'] })

const count = z.int().min(0).max(TOKENS_MAX)

const acls = z
  .union([z.boolean(), z.enum(['on', 'off', 'enabled', 'disabled'])], {
    error: 'expected true or false (or on, off, enabled, disabled)',
  })
  .describe('Whether ACLs are switched on in the configuration of the server. A server with ACLs off blocks.')

const tokenType = z.enum(['client', 'management'])

const serverSchema = z.strictObject({
  id: name.describe('Unique in the whole scenario.'),
  datacenter: name.optional().describe('Only in the list `servers` of the scenario.'),
  version: versionText
    .optional()
    .describe('What it runs from `start` on. Default: the `version` of the scenario.'),
  start: seconds
    .optional()
    .describe(
      'When its process with `version` starts. Until then the server is there and runs the version `from`. Default 0.',
    ),
  from: versionText.optional().describe('What it runs before `start`. Default: the `from` of the scenario.'),
  acls: acls.optional(),
  leader: z
    .boolean()
    .optional()
    .describe(
      'Leads its datacenter from the beginning, through its planned start. Default: the first listed.',
    ),
  status: z
    .enum(['alive', 'failed', 'left'])
    .optional()
    .describe('`failed` or `left`: a dead server that the others still have in their list. Default alive.'),
})

const agentSchema = z.strictObject({
  id: name,
  datacenter: name.optional().describe('Only in the list `agents` of the scenario.'),
  version: versionText.optional(),
  start: seconds.optional(),
})

const datacenterSchema = z.strictObject({
  name,
  primary: z.boolean().optional().describe('Default: the first datacenter is the primary.'),
  servers: z.array(serverSchema).max(SERVERS_MAX).optional(),
  agents: z
    .array(agentSchema)
    .max(SERVERS_MAX)
    .optional()
    .describe('Client agents. They leave legacy mode last.'),
  tokenReplication: z
    .boolean()
    .optional()
    .describe('Whether a secondary keeps copies of the tokens. Default true.'),
  replicationToken: z
    .enum(['write', 'read', 'none'])
    .optional()
    .describe(
      'What the replication token of a secondary may do: acl:write, acl:read, or there is none. Default write.',
    ),
})

const tokenGroupSchema = z.strictObject({
  type: tokenType.optional().describe('Default client.'),
  count: count.optional().describe('How many tokens of this kind. Default 1.'),
  rules: z.string().max(524_288).optional().describe('Legacy rules, as text.'),
  name: z.string().max(4_096).optional(),
  unwritable: z
    .boolean()
    .optional()
    .describe('Writing such a token fails. It undoes its batch, every second, for ever (model service).'),
})

const intentionSchema = z.strictObject({
  source: z.string().min(1).max(256),
  destination: z.string().min(1).max(256),
  action: z.enum(['allow', 'deny']).optional(),
  namespace: z.string().min(1).max(64).optional().describe('Of the destination. Default `default`.'),
  meta: z.boolean().optional().describe('Whether it carries Meta. Default false.'),
})

/** What a client does again and again. The comments name the row of the spec that each kind shows. */
export const WORKLOAD_KINDS = [
  'new', // token and policy API, spec 9.1, 9.2.1
  'legacy', // legacy ACL API, spec 9.1, 9.2.4
  'mixed', // legacy and new calls in turn
  'bootstrap', // spec 9.2.1
  'kv-read', // key-value read without the right, spec 9.3 (1.0)
  'service-watch', // blocking query on one service, spec 9.3 (1.0.7)
  'tag-filter', // catalog service query with a tag, spec 9.3 (1.3.0)
  'unknown-field', // a body with a field the endpoint does not know, spec 9.3 (1.7.0)
  'session', // session info and renew, spec 9.3 (1.7.0)
  'ptr-query', // PTR query, spec 9.3 (1.7.0)
  'wrong-method', // spec 9.3 (1.0), 9.4
  'agent-self', // reads Config of agent self, spec 9.3 (1.0)
  'address-translation', // looks for the header and the lan address, spec 9.3 (0.7)
  'intention-list', // spec 9.3 (1.9.0)
  'intention-read', // spec 9.5.2
  'intention-write', // by id, spec 9.5.2, 9.5.3
  'intention-config-write', // config entries of kind service-intentions, spec 9.5.2
] as const

const workloadSchema = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  kind: z.enum(WORKLOAD_KINDS),
  datacenter: name.optional().describe('Whose servers it calls, in turn. Default: the primary.'),
  server: name.optional().describe('The one server that it calls, instead of all in turn.'),
  agent: versionText
    .optional()
    .describe('Version of the client agent that it talks to. Absent: it talks to the servers themselves.'),
  agents: z.array(versionText).min(1).max(20).optional().describe('Several client agents, used in turn.'),
  rate: z.number().positive().max(1_000_000).optional().describe('Calls a second. Default 1.'),
  from: seconds.optional().describe('When it begins. Default 0.'),
  to: seconds.optional().describe('When it ends. Default: the end of the simulation.'),
  connections: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Connections it keeps open to each server from one address. Default 1.'),
})

const at = seconds.describe('When, on the clock of the scenario.')
const server = name.describe('Id of the server.')
const between = z.tuple([name, name]).describe('Two datacenters.')
const tokenState = z
  .enum(['unmigrated', 'migrated', 'any'])
  .optional()
  .describe('Which tokens: those without accessor, those with one, or all. Default any.')

const eventSchema = z.discriminatedUnion('kind', [
  z
    .strictObject({ kind: z.literal('crash'), at, server })
    .describe('The process dies. Others see it as failed.'),
  z.strictObject({ kind: z.literal('leave'), at, server }).describe('The server leaves in order.'),
  z
    .strictObject({ kind: z.literal('force-leave'), at, server })
    .describe('An operator marks a failed server as left.'),
  z
    .strictObject({
      kind: z.literal('start'),
      at,
      server,
      version: versionText.optional(),
      acls: acls.optional(),
    })
    .describe('A server that crashed or left starts again, by default as it was.'),
  z
    .strictObject({
      kind: z.literal('restart'),
      at,
      server,
      version: versionText.optional(),
      acls: acls.optional(),
      downtime: seconds.optional().describe('How long it is down. Default 0.'),
    })
    .describe('Stop and start, with a new version or ACL setting where given.'),
  z
    .strictObject({ kind: z.literal('join'), at, server })
    .describe('A new server: nobody knows it before. Its `start` must be absent.'),
  z
    .strictObject({ kind: z.literal('pause'), at, server, for: seconds.optional() })
    .describe('The process stands still (SIGSTOP), for a time or until `resume`.'),
  z.strictObject({ kind: z.literal('resume'), at, server }),
  z
    .strictObject({ kind: z.literal('elect'), at, server })
    .describe(
      'An election that this server wins: no leader for `electionTime`, then it leads and looks at once.',
    ),
  z
    .strictObject({ kind: z.literal('stale-gossip'), at, server })
    .describe('From now on the others keep what they last heard of this server, until its restart.'),
  z
    .strictObject({ kind: z.literal('snapshot'), at, server: name.optional() })
    .describe('The server (absent: every server) writes a snapshot of its state.'),
  z
    .strictObject({ kind: z.literal('partition'), at, between, for: seconds.optional() })
    .describe('The two datacenters cannot reach each other, for a time or until `heal`.'),
  z.strictObject({ kind: z.literal('heal'), at, between }),
  z
    .strictObject({
      kind: z.literal('create-tokens'),
      at,
      count: count.optional(),
      type: tokenType.optional(),
      rules: z.string().max(524_288).optional(),
    })
    .describe('Legacy tokens are created through the legacy API. Spec 9.2.4.'),
  z
    .strictObject({
      kind: z.literal('edit-tokens'),
      at,
      count: count.optional(),
      offset: count.optional().describe('How many to pass over first. Default 0.'),
      state: tokenState,
      racing: z
        .boolean()
        .optional()
        .describe('The edits hit the next batch between its read and its write: that batch skips them.'),
    })
    .describe('Legacy tokens are updated through the legacy API.'),
  z
    .strictObject({
      kind: z.literal('delete-tokens'),
      at,
      count: count.optional(),
      offset: count.optional().describe('How many to pass over first. Default 0.'),
      state: tokenState,
    })
    .describe('Legacy tokens are deleted.'),
  z
    .strictObject({ kind: z.literal('convert-tokens'), at, count: count.optional() })
    .describe('Migrated client tokens get a policy instead of their rules (absent: all of them).'),
  z
    .strictObject({
      kind: z.literal('edit-intention'),
      at,
      destination: z.string().min(1).max(256),
    })
    .describe('The intentions of a destination are edited as a config entry. Spec 9.5.3.'),
])

/** The file as written. Spellings that spellings.ts knows were turned into these names before. */
export const scenarioSchema = z
  .strictObject({
    name: z.string().max(200).optional(),
    description: z.string().max(10_000).optional(),
    model: z.enum(['service', 'latchkey']).optional().describe('Default service. `--model` goes before it.'),
    seed: z.int().min(0).max(4_294_967_295).optional().describe('Default 1. `--seed` goes before it.'),
    duration: seconds
      .optional()
      .describe(
        'Where the simulation ends. Default: when nothing more can change by itself, and a minute later where there are workloads.',
      ),
    primary: name.optional().describe('Name of the primary datacenter.'),
    from: versionText.optional().describe('What servers run before their `start`. Default 1.3.1.'),
    version: versionText.optional().describe('What servers run from their `start` on. Default 1.4.0.'),
    gossipDelay: seconds
      .optional()
      .describe('Until the servers of a datacenter know what one of them says. Default 0: a millisecond.'),
    gossipJitter: seconds.optional().describe('Up to this much is added to each gossip message. Default 0.'),
    networkDelay: seconds
      .optional()
      .describe('One way between two datacenters, for gossip and replication. Default 0.'),
    failureDetection: seconds
      .optional()
      .describe('Until the others see a dead or unreachable server as failed. Default 0.'),
    electionTime: seconds
      .optional()
      .describe('From the loss of a leader to the next one. Default 5 (model latchkey: 1).'),
    commitTime: seconds
      .optional()
      .describe('From the read to the write of one batch of accessors. Default 0.'),
    bootstrapped: z
      .boolean()
      .optional()
      .describe('Whether the cluster refuses bootstrap before the upgrade. Absent: not known.'),
    defaultPolicy: z.enum(['allow', 'deny']).optional().describe('Default deny.'),
    connect: z.boolean().optional().describe('Whether connect is switched on. Default true.'),
    datacenters: z.array(datacenterSchema).min(1).max(DATACENTERS_MAX),
    servers: z.array(serverSchema).max(SERVERS_MAX).optional(),
    agents: z.array(agentSchema).max(SERVERS_MAX).optional(),
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
          z.array(tokenGroupSchema).max(100_000),
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
      .describe('Intentions of before 1.9.0.'),
    workloads: z.array(workloadSchema).max(WORKLOADS_MAX).optional(),
    events: z.array(eventSchema).max(EVENTS_MAX).optional(),
  })
  .meta({
    title: 'Scenario of an upgrade',
    description:
      'What a cluster is and what happens to it. Times are seconds from the beginning, as a number or a text such as "90s".',
  })

export type ScenarioInput = z.infer<typeof scenarioSchema>
export type ServerInput = z.infer<typeof serverSchema>
export type AgentInput = z.infer<typeof agentSchema>
export type EventInput = z.infer<typeof eventSchema>
export type WorkloadInput = z.infer<typeof workloadSchema>
export type WorkloadKind = (typeof WORKLOAD_KINDS)[number]
