/** Events of a scenario file: what happens to the cluster, and when. */
import * as z from 'zod'
import { acls, count, name, rules, seconds, serviceVersion, tokenType } from './schema-parts.ts'

export const between = z.tuple([name, name]).describe('Two datacenters.')
const at = seconds.describe('When, on the clock of the scenario.')
const server = name.describe('Id of the server.')
const version = serviceVersion.optional()
const api = z.enum(['legacy', 'new']).default('legacy').describe('The legacy API or the token API.')

const TIMES_MAX = 10_000

const repeated = {
  every: seconds.prefault(0).describe('Interval between repetitions of the event, `times` in all.'),
  times: z.int().min(1).max(TIMES_MAX).default(1).describe('How often it happens.'),
}

const chosen = {
  count: count.default(1),
  offset: count.default(0).describe('How many to skip first.'),
  state: z.enum(['unmigrated', 'migrated', 'any']).default('any').describe('With or without an accessor.'),
  type: tokenType.optional().describe('Only tokens of this type.'),
  api,
  ...repeated,
}

/** The links of an event: a single link, or all links of a datacenter. */
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
    { server, version, acls: acls.optional() },
    'A server that crashed or left restarts, by default unchanged.',
  ),
  event(
    'restart',
    {
      server,
      version,
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
      version: version.describe(
        'The running servers start with this version and empty data first. Absent: they keep running.',
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
      sendsRules: z
        .boolean()
        .default(false)
        .describe(
          'Whether an update through the token API repeats the rules, and is refused, or drops them.',
        ),
      racing: z
        .boolean()
        .default(false)
        .describe('The edits hit the next batch between its read and its write: that batch skips them.'),
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
