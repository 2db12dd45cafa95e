/** Sessions, which hold locks on keys. Spec 9.3, 9.4. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import { CATALOG_NAME_BYTES_MAX, NAMESPACE_NAME_LENGTH_MAX, SERVICE_CHECKS_MAX } from '../limits.ts'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { ignored, stored, unoffered } from '../shared/fields.ts'
import { blockingQuery, query } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'

const text = () => boundedText(CATALOG_NAME_BYTES_MAX)
const gate = 'session.checkLists' satisfies GateName
const TTL =
  'A Go duration. The session ends between one and two TTLs after its last renewal. If empty, it does not expire.'
const BEHAVIOR = '`release` or `delete`: what happens to the session’s keys when it ends.'
const DELAY_EXPECTED = 'expected a duration such as "15s", or a number of seconds or nanoseconds'
const NODE_CHECKS =
  'Ids of checks on the node. The session ends when one of them becomes critical or is removed.'
const SERVICE_CHECKS = 'Checks of services on the node, with the same effect.'

const serviceCheckShown = z.strictObject({
  ID: z.string().meta({ description: 'ID of the check.' }),
  Namespace: z.string().meta({ description: 'Namespace of the check; empty for `default`.' }),
})

/** A session in answers. Before 1.7.0, `Checks` is its only list of checks. */
const sessionSchema = z
  .strictObject({
    ID: z.string().meta({ description: 'A UUID chosen by the service.' }),
    Name: z.string().meta({ description: 'Free text.' }),
    Node: z.string().meta({ description: 'Name of the node.' }),
    LockDelay: z
      .number()
      .meta({
        description:
          'How long the session’s keys stay locked after it ends, in nanoseconds. Values over 60 s are reduced to 60 s.',
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
      .meta({ description: `${SERVICE_CHECKS} Null if none were given. Since 1.7.0.` }),
    Checks: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'From 1.7.0: the value of the old field, if it was sent together with NodeChecks. Before 1.7.0: all checks on the node.',
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

/** The body of create. */
const sessionCreateSchema = z
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
        description: `${NODE_CHECKS} Default: \`serfHealth\`, if the node has this check. Since 1.7.0.`,
      }),
    ServiceChecks: z
      .array(serviceCheckGiven)
      .max(SERVICE_CHECKS_MAX)
      .nullish()
      .meta({ gate, description: `${SERVICE_CHECKS} Since 1.7.0.` }),
    Checks: z
      .array(text())
      .max(SERVICE_CHECKS_MAX)
      .nullish()
      .meta({
        description:
          'The list from before 1.7.0. Without NodeChecks, it replaces them; with NodeChecks, it adds to them.',
      }),
    LockDelay: z
      .union([z.string(), z.number()], { error: DELAY_EXPECTED })
      .nullish()
      .meta({
        description:
          'How long the session’s keys stay locked after it ends: a Go duration, or a number, which below 1000 is in seconds and otherwise in nanoseconds. Default: 15 s. Values over 60 s are reduced to 60 s.',
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

const sessionIdSchema = z.strictObject({ ID: z.string().meta({ description: 'ID of the new session.' }) })

const read = {
  right: 'session',
  inDefault: true,
  blocking: 'sessions',
  rowRights: true,
  methodGate: 'http.enforceMethods',
  spec: '9.4',
} as const
const write = { right: 'session', inDefault: true, writes: 'own', spec: 'extension' } as const
const subject = { subject: 'session' } as const
const VISIBLE = 'Shows sessions of nodes on which the caller has `session:read`.'
/** The handlers refuse a malformed ID, with the same text as existing services. */
const sessionParam = z.object({ ID: z.string().meta({ description: 'ID of the session.' }) })
const list = z.array(sessionSchema)

export const sessions = c.router({
  create: put('/v1/session/create', sessionIdSchema, {
    summary: 'Create a session',
    description: 'Without a body, uses the defaults. Needs `session:write` on the node.',
    query: query({}),
    body: sessionCreateSchema,
    metadata: {
      ...write,
      body: 'json',
      bodyOptional: true,
      looseNames: true,
      errors: ['field_required', 'field_invalid', 'check_critical', 'namespace_unsupported'],
      referenceStatuses: { 'field_invalid LockDelay': 400 },
    },
  }),
  destroy: put('/v1/session/destroy/:ID', z.boolean(), {
    pathParams: sessionParam,
    summary: 'End a session',
    description:
      'The same commit releases or deletes the keys that it holds, and starts their lock delays. Answers `true`, even if the session does not exist. Needs `session:write` on the node.',
    query: query({}),
    metadata: { ...write, ...subject, errors: ['id_missing', 'id_invalid'] },
  }),
  info: get('/v1/session/info/:ID', list, {
    pathParams: sessionParam,
    summary: 'Read a session',
    description: `A list with the session; empty if there is none. ${VISIBLE}`,
    query: blockingQuery({}),
    metadata: {
      ...read,
      ...subject,
      spec: '9.3',
      errors: ['id_missing', 'id_invalid', 'session_incompatible'],
    },
  }),
  node: get('/v1/session/node/:Node', list, {
    pathParams: z.object({ Node: z.string().meta({ description: 'Name of the node. Not case-sensitive.' }) }),
    summary: 'List the sessions of a node',
    description: VISIBLE,
    query: blockingQuery({}),
    metadata: { ...read, subject: 'node name', errors: ['id_missing'] },
  }),
  list: get('/v1/session/list', list, {
    summary: 'List the sessions of this datacenter',
    description: `In order of ID. ${VISIBLE}`,
    query: blockingQuery({}),
    metadata: { ...read, errors: [] },
  }),
  renew: put('/v1/session/renew/:ID', list, {
    pathParams: sessionParam,
    summary: 'Renew a session',
    description:
      'Restarts the TTL of the session without changing an index. Needs `session:write` on the node.',
    query: query({}),
    metadata: {
      ...write,
      ...subject,
      spec: '9.3',
      errors: ['id_missing', 'id_invalid', 'session_incompatible', 'not_found'],
    },
  }),
} satisfies ContractRoutes)
