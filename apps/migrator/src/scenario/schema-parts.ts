/** Schemas for the scalars of a scenario file, and for its workloads. Their results are milliseconds and versions. */
import { limits } from '@latchkey/contract'
import * as z from 'zod'
import { version } from '../version.ts'
import { toMs } from './time.ts'

export const TOKENS_MAX = 1_000_000_000
const SECONDS_MAX = 366 * 86_400

export const name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a name has 1 to 64 letters, digits, dots, dashes or underscores',
  )
  .meta({ id: 'name' })

const DURATION = /^(\d+(\.\d+)?(ms|s|m|h))+$|^\d+(\.\d+)?$/
export const seconds = z
  .union(
    [
      z.number().min(0).max(SECONDS_MAX),
      z.string().regex(DURATION, 'expected a duration such as "90s", "1h30m" or "250ms"'),
    ],
    { error: `expected seconds as a number (0 to ${SECONDS_MAX}), or a text such as "90s" or "1h30m"` },
  )
  .meta({ id: 'time', examples: [12.5, '90s', '1h30m'] })
  .transform(toMs)

export const serviceVersion = z
  .string()
  .regex(/^\d{1,4}\.\d{1,4}(\.\d{1,4})?$/, 'expected a version such as 1.4.0')
  .meta({ id: 'version', examples: ['1.4.0', '1.11'] })
  .transform(version)

export const count = z.int().min(0).max(TOKENS_MAX)
export const acls = z.boolean().describe('Whether ACLs are enabled on the server. One with ACLs off blocks.')
export const tokenType = z.enum(['client', 'management'])
export const rules = z.string().max(limits.RULES_BYTES_MAX).describe('Legacy rules, as text.')

/** Repeated client calls. Comments name the row of the spec that each kind demonstrates. */
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

export type WorkloadKind = (typeof WORKLOAD_KINDS)[number]

const ENDPOINT = /^([A-Z]+ )?\/v1\/\S+$/
const agent = serviceVersion.describe('Version of the client agent that it calls. Absent: none.')
const connections = z.int().min(1).max(1_000_000)

export const workloadSchema = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  kind: z.enum(WORKLOAD_KINDS),
  datacenter: name.optional().describe('Datacenter whose servers it calls, in turn. Default: the primary.'),
  server: name.optional().describe('A single server to call, instead of all in turn.'),
  agent: agent.optional(),
  agents: z.array(serviceVersion).min(1).max(20).optional().describe('Several client agents, used in turn.'),
  endpoint: z
    .string()
    .regex(ENDPOINT, 'expected an endpoint such as PUT /v1/acl/token')
    .optional()
    .describe('Only of `unknown-field`: the endpoint that it calls.')
    .meta({ examples: ['PUT /v1/acl/token'] }),
  field: z.string().min(1).max(100).optional().describe('Only of `unknown-field`: the unknown field.'),
  rate: z.number().positive().max(1_000_000).default(1).describe('Calls per second.'),
  from: seconds.prefault(0).describe('When it starts.'),
  to: seconds.optional().describe('When it ends. Default: the end of the simulation.'),
  connections: connections.default(1).describe('Open connections to each server from one address.'),
})

export const between = z.tuple([name, name]).describe('Two datacenters.')
const at = seconds.describe('When, on the clock of the scenario.')
const server = name.describe('Id of the server.')
const optionalVersion = serviceVersion.optional()
const api = z.enum(['legacy', 'new']).default('legacy').describe('The legacy API or the token API.')

const repeated = {
  every: seconds.prefault(0).describe('Interval between repetitions of the event, `times` in all.'),
  times: z.int().min(1).max(10_000).default(1).describe('How often it happens.'),
}

const chosen = {
  count: count.default(1),
  offset: count.default(0).describe('How many to skip first.'),
  state: z.enum(['unmigrated', 'migrated', 'any']).default('any').describe('With or without an accessor.'),
  type: tokenType.optional().describe('Only tokens of this type.'),
  api,
  ...repeated,
}

const links = {
  between: between.optional(),
  datacenter: name.optional().describe('Instead of `between`: this datacenter and all others.'),
}

function event<K extends string, S extends z.ZodRawShape>(kind: K, shape: S, text: string) {
  return z.strictObject({ kind: z.literal(kind), at, ...shape }).describe(text)
}

export const eventSchema = z.discriminatedUnion('kind', [
  event('crash', { server }, 'The process dies. Others see it as failed.'),
  event('leave', { server }, 'The server leaves gracefully.'),
  event('force-leave', { server }, 'An operator marks a failed server as left.'),
  event(
    'start',
    { server, version: optionalVersion, acls: acls.optional() },
    'A server that crashed or left restarts, by default unchanged.',
  ),
  event(
    'restart',
    {
      server,
      version: optionalVersion,
      acls: acls.optional(),
      downtime: seconds.prefault(0).describe('Time until it is up again.'),
    },
    'The server stops and starts, with a new version or ACL setting if given.',
  ),
  event('join', { server }, 'A new server joins that the others did not know. Its `start` must be absent.'),
  event(
    'pause',
    { server, for: seconds.optional() },
    'The process is paused (SIGSTOP), for a time or until `resume`.',
  ),
  event('resume', { server }, 'The paused process continues.'),
  event(
    'elect',
    { server },
    'This server wins an election: no leader for `electionTime`, then it leads and checks the cluster at once.',
  ),
  event('stale-gossip', { server }, 'The others receive no gossip from this server until it restarts.'),
  event(
    'snapshot',
    { server: name.optional() },
    'The server (absent: every server) writes a snapshot of its state.',
  ),
  event(
    'restore',
    {
      snapshot: seconds.optional().describe('Time of the `snapshot` event. Default: the last one before.'),
      datacenter: name.optional().describe('Default: the primary.'),
      version: optionalVersion.describe(
        'Servers start with it and empty data first. Absent: they keep running.',
      ),
    },
    'An operator restores a snapshot of a datacenter. Every token write since then is lost.',
  ),
  event(
    'partition',
    { ...links, for: seconds.optional() },
    'The two datacenters cannot reach each other, for a time or until `heal`.',
  ),
  event('heal', links, 'The two datacenters reach each other again.'),
  event(
    'create-tokens',
    {
      count: count.default(1),
      type: tokenType.default('client').describe('Of legacy tokens.'),
      rules: rules.optional(),
      api,
      local: z.boolean().default(false).describe('Local tokens, which only the token API creates.'),
      datacenter: name.optional().describe('Where the token API creates them. Default: the primary.'),
      ...repeated,
    },
    'Clients create tokens, through the legacy API (spec 9.2.4) or the token API.',
  ),
  event(
    'edit-tokens',
    {
      ...chosen,
      becomes: tokenType.optional().describe('The type that an edit through the legacy API gives them.'),
      rules: rules.optional().describe('The rules that it gives the client tokens among them.'),
      sendsRules: z.boolean().default(false).describe('Repeats the rules, and is refused, or drops them.'),
      racing: z.boolean().default(false).describe('Between the read and the write of the next batch.'),
    },
    'Clients update legacy tokens.',
  ),
  event('delete-tokens', chosen, 'Clients delete legacy tokens.'),
  event(
    'convert-tokens',
    { count: count.optional() },
    'An operator gives migrated client tokens a policy instead of their rules (`count` absent: all of them).',
  ),
  event(
    'edit-intention',
    { destination: z.string().min(1).max(256) },
    'A client edits the intentions of a destination as a config entry. Spec 9.5.3.',
  ),
])
