/** Events of a scenario file: what happens to the cluster, and when. */
import * as z from 'zod'
import { acls, count, name, seconds, tokenType, versionText } from './schema-parts.ts'

const at = seconds.describe('When, on the clock of the scenario.')
const server = name.describe('Id of the server.')
export const between = z.tuple([name, name]).describe('Two datacenters.')
const tokenState = z
  .enum(['unmigrated', 'migrated', 'any'])
  .optional()
  .describe('Which tokens: those without accessor, those with one, or all. Default any.')

/** Maximum repetitions of one event. */
const TIMES_MAX = 10_000

/** Repeats the event at the interval `every`, `times` in total. */
const repeated = {
  every: seconds.optional().describe('Interval between repetitions of the event, `times` in all.'),
  times: z.int().min(1).max(TIMES_MAX).optional().describe('How often it happens. Default 1.'),
}

/** Which links an event is about: one, or all of a datacenter. */
const links = {
  between: between.optional(),
  datacenter: name.optional().describe('Instead of `between`: this datacenter and every other.'),
}

export const eventSchema = z.discriminatedUnion('kind', [
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
    .describe('A new server, unknown before. Its `start` must be absent.'),
  z
    .strictObject({ kind: z.literal('pause'), at, server, for: seconds.optional() })
    .describe('The process is paused (SIGSTOP), for a time or until `resume`.'),
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
    .strictObject({ kind: z.literal('partition'), at, ...links, for: seconds.optional() })
    .describe('The two datacenters cannot reach each other, for a time or until `heal`.'),
  z.strictObject({ kind: z.literal('heal'), at, ...links }),
  z
    .strictObject({
      kind: z.literal('create-tokens'),
      at,
      count: count.optional(),
      type: tokenType.optional(),
      rules: z.string().max(524_288).optional(),
      ...repeated,
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
      ...repeated,
    })
    .describe('Legacy tokens are updated through the legacy API.'),
  z
    .strictObject({
      kind: z.literal('delete-tokens'),
      at,
      count: count.optional(),
      offset: count.optional().describe('How many to pass over first. Default 0.'),
      state: tokenState,
      ...repeated,
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
