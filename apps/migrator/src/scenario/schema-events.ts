/** Events of a scenario file: what happens to the cluster, and when. */
import * as z from 'zod'
import { acls, count, name, seconds, tokenType, versionText } from './schema-parts.ts'

const at = seconds.describe('When, on the clock of the scenario.')
const server = name.describe('Id of the server.')
export const between = z.tuple([name, name]).describe('Two datacenters.')
const tokenState = z
  .enum(['unmigrated', 'migrated', 'any'])
  .optional()
  .describe('Which tokens: those without an accessor, those with one, or all. Default any.')

const api = z
  .enum(['legacy', 'new'])
  .optional()
  .describe('Through the legacy API or the token API. Default legacy.')
const onlyType = tokenType.optional().describe('Only tokens of this type.')

/** Maximum repetitions of one event. */
const TIMES_MAX = 10_000

/** Repeats the event `times` times, at the interval `every`. */
const repeated = {
  every: seconds.optional().describe('Interval between repetitions of the event, `times` in all.'),
  times: z.int().min(1).max(TIMES_MAX).optional().describe('How often it happens. Default 1.'),
}

/** The links of an event: a single link, or all links of a datacenter. */
const links = {
  between: between.optional(),
  datacenter: name.optional().describe('Instead of `between`: this datacenter and all others.'),
}

export const eventSchema = z.discriminatedUnion('kind', [
  z
    .strictObject({ kind: z.literal('crash'), at, server })
    .describe('The process dies. Others see it as failed.'),
  z.strictObject({ kind: z.literal('leave'), at, server }).describe('The server leaves gracefully.'),
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
    .describe('A server that crashed or left restarts, by default unchanged.'),
  z
    .strictObject({
      kind: z.literal('restart'),
      at,
      server,
      version: versionText.optional(),
      acls: acls.optional(),
      downtime: seconds.optional().describe('Time until it is up again. Default 0.'),
    })
    .describe('The server stops and starts, with a new version or ACL setting if given.'),
  z
    .strictObject({ kind: z.literal('join'), at, server })
    .describe('A new server joins that the others did not know. Its `start` must be absent.'),
  z
    .strictObject({ kind: z.literal('pause'), at, server, for: seconds.optional() })
    .describe('The process is paused (SIGSTOP), for a time or until `resume`.'),
  z.strictObject({ kind: z.literal('resume'), at, server }),
  z
    .strictObject({ kind: z.literal('elect'), at, server })
    .describe(
      'This server wins an election: no leader for `electionTime`, then it leads and checks the cluster at once.',
    ),
  z
    .strictObject({ kind: z.literal('stale-gossip'), at, server })
    .describe('The others receive no further gossip from this server until it restarts.'),
  z
    .strictObject({ kind: z.literal('snapshot'), at, server: name.optional() })
    .describe('The server (absent: every server) writes a snapshot of its state.'),
  z
    .strictObject({
      kind: z.literal('restore'),
      at,
      snapshot: seconds.optional().describe('Time of the `snapshot` event. Default: the last one before.'),
      datacenter: name.optional().describe('Default: the primary.'),
      version: versionText
        .optional()
        .describe(
          'The running servers start with this version and empty data first. Absent: they keep running.',
        ),
    })
    .describe('An operator restores a snapshot of a datacenter. Every token write since then is lost.'),
  z
    .strictObject({ kind: z.literal('partition'), at, ...links, for: seconds.optional() })
    .describe('The two datacenters cannot reach each other, for a time or until `heal`.'),
  z.strictObject({ kind: z.literal('heal'), at, ...links }),
  z
    .strictObject({
      kind: z.literal('create-tokens'),
      at,
      count: count.optional(),
      type: tokenType.optional().describe('Of legacy tokens. Default client.'),
      rules: z.string().max(262_144).optional().describe('Of legacy tokens.'),
      api,
      local: z
        .boolean()
        .optional()
        .describe('Local tokens, which only the token API creates. Default false.'),
      datacenter: name.optional().describe('Where the token API creates them. Default: the primary.'),
      ...repeated,
    })
    .describe('Clients create tokens, through the legacy API (spec 9.2.4) or the token API.'),
  z
    .strictObject({
      kind: z.literal('edit-tokens'),
      at,
      count: count.optional(),
      offset: count.optional().describe('How many to skip first. Default 0.'),
      state: tokenState,
      type: onlyType,
      becomes: tokenType
        .optional()
        .describe('The type that the edit gives them. Only through the legacy API.'),
      api,
      sendsRules: z
        .boolean()
        .optional()
        .describe(
          'Whether an update through the token API repeats the rules, and is refused. Otherwise the rules are dropped. Default false.',
        ),
      racing: z
        .boolean()
        .optional()
        .describe('The edits hit the next batch between its read and its write: that batch skips them.'),
      ...repeated,
    })
    .describe('Clients update legacy tokens.'),
  z
    .strictObject({
      kind: z.literal('delete-tokens'),
      at,
      count: count.optional(),
      offset: count.optional().describe('How many to skip first. Default 0.'),
      state: tokenState,
      type: onlyType,
      api,
      ...repeated,
    })
    .describe('Clients delete legacy tokens.'),
  z
    .strictObject({ kind: z.literal('convert-tokens'), at, count: count.optional() })
    .describe(
      'An operator gives migrated client tokens a policy instead of their rules (`count` absent: all of them).',
    ),
  z
    .strictObject({
      kind: z.literal('edit-intention'),
      at,
      destination: z.string().min(1).max(256),
    })
    .describe('A client edits the intentions of a destination as a config entry. Spec 9.5.3.'),
])
