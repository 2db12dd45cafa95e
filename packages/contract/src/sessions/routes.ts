/** Sessions, which hold locks on keys. Spec 9.3, 9.4. */
import * as z from 'zod'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { blockingQuery, query } from '../shared/query.ts'
import { sessionCreateSchema, sessionIdSchema, sessionSchema } from './schemas.ts'

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
