/** Sessions, which hold the locks of keys. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import { CATALOG_NAME_BYTES_MAX, NAMESPACE_NAME_LENGTH_MAX, SERVICE_CHECKS_MAX } from '../limits.ts'
import { ignored, stored, unoffered } from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'

const text = () => boundedText(CATALOG_NAME_BYTES_MAX)
const gate = 'session.checkLists' satisfies GateName
const TTL =
  'A Go duration. If empty, the session does not expire. It ends between one and two TTLs after its last renewal.'
const BEHAVIOR = '`release` or `delete`: what it does to its keys when it ends.'
const DELAY_EXPECTED = 'expected a duration such as "15s", or a number of seconds or nanoseconds'
const NODE_CHECKS = 'Ids of checks on the node. It ends when one is critical or gone.'
const SERVICE_CHECKS = 'Checks of services on the node, with the same effect.'

const serviceCheckShown = z.strictObject({
  ID: z.string().meta({ description: 'ID of the check.' }),
  Namespace: z.string().meta({ description: 'Namespace of the check; empty for `default`.' }),
})

/** A session as answered. Before 1.7.0 `Checks` is its only list of checks. */
export const sessionSchema = z
  .strictObject({
    ID: z.string().meta({ description: 'A UUID that the service chose.' }),
    Name: z.string().meta({ description: 'Free text.' }),
    Node: z.string().meta({ description: 'Name of the node.' }),
    LockDelay: z.number().meta({
      description:
        'Time in nanoseconds for which its keys stay locked after it ends. Values over 60 s count as 60 s.',
    }),
    Behavior: z.enum(['release', 'delete']).meta({ description: BEHAVIOR }),
    TTL: z.string().meta({ description: TTL }),
    NodeChecks: z
      .array(z.string())
      .optional()
      .meta({ description: `${NODE_CHECKS} Since 1.7.0.` }),
    ServiceChecks: z
      .array(serviceCheckShown)
      .nullable()
      .optional()
      .meta({ description: `${SERVICE_CHECKS} Null: none were given. Since 1.7.0.` }),
    Checks: z.array(z.string()).optional().meta({
      description:
        'From 1.7.0 what the old field was given beside the new one; before, all checks of the node.',
    }),
    ...stored,
  })
  .meta({ id: 'Session' })
export type Session = z.infer<typeof sessionSchema>

const serviceCheckGiven = z.strictObject({
  ID: text().meta({ description: 'ID of the check.' }),
  Namespace: z
    .string()
    .max(NAMESPACE_NAME_LENGTH_MAX)
    .optional()
    .meta({ description: 'Extended edition only: namespace of the check. Default: `default`.' }),
})

/** What a session is created with. */
export const sessionCreateSchema = z
  .strictObject({
    ID: unoffered(ignored),
    CreateIndex: unoffered(ignored),
    ModifyIndex: unoffered(ignored),
    Name: text().optional().meta({ description: 'Free text.' }),
    Node: text().optional().meta({ description: 'A registered node. Default: the node of the server.' }),
    NodeChecks: z
      .array(text())
      .max(SERVICE_CHECKS_MAX)
      .nullish()
      .meta({
        gate,
        description: `${NODE_CHECKS} Default: \`serfHealth\`, where the node has it. Since 1.7.0.`,
      }),
    ServiceChecks: z
      .array(serviceCheckGiven)
      .max(SERVICE_CHECKS_MAX)
      .nullish()
      .meta({ gate, description: `${SERVICE_CHECKS} Since 1.7.0.` }),
    Checks: z.array(text()).max(SERVICE_CHECKS_MAX).nullish().meta({
      description:
        'The list of versions before 1.7.0. Alone, it replaces NodeChecks; with NodeChecks, it adds to them.',
    }),
    LockDelay: z.union([z.string(), z.number()], { error: DELAY_EXPECTED }).nullish().meta({
      description:
        'How long its keys stay locked after it ends: a Go duration, a number below 1000 in seconds, or nanoseconds. Default: 15 s. Values over 60 s count as 60 s.',
    }),
    Behavior: z
      .string()
      .optional()
      .meta({ description: `${BEHAVIOR} Default: \`release\`.` }),
    TTL: z
      .string()
      .optional()
      .meta({ description: `${TTL} From 10s to 24h.` }),
  })
  .meta({ id: 'SessionCreate' })
export type SessionCreate = z.output<typeof sessionCreateSchema>

export const sessionIdSchema = z.strictObject({
  ID: z.string().meta({ description: 'ID of the new session.' }),
})
