/** Network areas: links to the servers of one other datacenter each, in the extended edition. Spec 9.4. */
import * as z from 'zod'
import { AREA_ADDRESS_LENGTH_MAX, AREA_ADDRESSES_MAX, DATACENTER_NAME_LENGTH_MAX } from '../limits.ts'
import { type ContractRoutes, c, del, get, post, put } from '../route.ts'
import { recordId, required } from '../shared/fields.ts'
import { blockingQuery, query } from '../shared/query.ts'

const peer = 'Name of the other datacenter.'
const retryJoin = 'Addresses of its servers: an IP address or host name, with or without a port.'
const useTls =
  'Stored as sent: requests to other datacenters use the schemes of their addresses in the settings.'
const said = (text: string) => z.string().meta({ description: text })

const areaSchema = z
  .strictObject({
    ID: recordId,
    PeerDatacenter: said(peer),
    RetryJoin: z.array(z.string()).meta({ description: retryJoin }),
    UseTLS: z.boolean().meta({ description: useTls }),
  })
  .meta({ id: 'Area' })
export type Area = z.infer<typeof areaSchema>

const areaCreateSchema = z
  .strictObject({
    ID: z.string().optional().meta({ description: 'Absent or empty.' }),
    PeerDatacenter: required(z.string().max(DATACENTER_NAME_LENGTH_MAX)).meta({ description: peer }),
    RetryJoin: z
      .array(z.string().max(AREA_ADDRESS_LENGTH_MAX))
      .max(AREA_ADDRESSES_MAX)
      .optional()
      .meta({ description: retryJoin }),
    UseTLS: z.boolean().optional().meta({ description: useTls }),
  })
  .meta({ id: 'AreaCreate' })

const areaMemberSchema = z
  .strictObject({
    ID: said('Id of the server process.'),
    Name: said('Name of the server with its datacenter, as in `db-1.dc2`.'),
    Addr: said('Address that the server listens on.'),
    Port: z.int().meta({ description: 'Port that the server listens on.', minimum: 0 }),
    Datacenter: said(peer),
    Role: said('Always `server`.'),
    Build: said('Service version of the server.'),
    Protocol: z.int().meta({ description: 'Always 2.' }),
    Status: said('`alive`, `left` or `failed`.'),
    RTT: z.int().meta({ description: 'Always -1: servers do not measure distances between datacenters.' }),
  })
  .meta({ id: 'AreaMember' })
export type AreaMember = z.infer<typeof areaMemberSchema>

const joinedSchema = z
  .strictObject({
    Address: said('The address, as sent.'),
    Joined: z.boolean().meta({ description: 'Whether the area has the address now.' }),
    Error: said('Why it does not; otherwise empty.'),
  })
  .meta({ id: 'AreaJoined' })

const areaParam = z.object({ uuid: said('ID of the area.') })
const api = { edition: 'extended', spec: '9.4', subject: 'area ID' } as const
const read = { right: 'operator:read', ...api } as const
const write = { right: 'operator:write', writes: 'own', ...api } as const
const methodGate = 'http.enforceMethods'

export const areas = c.router({
  create: post('/v1/operator/area', z.strictObject({ ID: recordId }).meta({ id: 'AreaID' }), {
    summary: 'Create a network area',
    description:
      'A datacenter has at most one area for each other datacenter, and at most 64 areas. Areas are not replicated.',
    query: query({}),
    body: areaCreateSchema,
    metadata: { ...write, body: 'json', errors: ['field_required', 'field_invalid', 'name_in_use'] },
  }),
  list: get('/v1/operator/area', z.array(areaSchema), {
    summary: 'List network areas',
    description: 'In order of PeerDatacenter.',
    query: blockingQuery({}),
    metadata: { ...read, blocking: 'system', errors: [] },
  }),
  read: get('/v1/operator/area/:uuid', z.array(areaSchema), {
    pathParams: areaParam,
    summary: 'Read a network area',
    description: 'A list with this area.',
    query: blockingQuery({}),
    metadata: { ...read, blocking: 'system', errors: ['id_missing', 'not_found'] },
  }),
  delete: del('/v1/operator/area/:uuid', z.string().meta({ description: 'Empty.' }), {
    pathParams: areaParam,
    summary: 'Delete a network area',
    description: 'Requests to the other datacenter do not depend on the area.',
    query: query({}),
    metadata: { ...write, answerForm: 'text', errors: ['id_missing', 'not_found'] },
  }),
  members: get('/v1/operator/area/:uuid/members', z.array(areaMemberSchema), {
    pathParams: areaParam,
    summary: 'List the servers of the other datacenter',
    description:
      'As that datacenter lists them to the caller, who needs `node:read` on them there. Empty if the settings of this server do not have that datacenter.',
    query: query({}),
    metadata: { ...read, methodGate, errors: ['not_found', 'datacenter_unreachable'] },
  }),
  join: put('/v1/operator/area/:uuid/join', z.array(joinedSchema), {
    pathParams: areaParam,
    summary: 'Add addresses to a network area',
    description:
      'The answers are in the order of the addresses. An address that the area has stays as it is.',
    query: query({}),
    body: z.array(z.string().max(AREA_ADDRESS_LENGTH_MAX)).meta({ id: 'AreaAddresses' }),
    metadata: {
      ...write,
      methodGate,
      body: 'json',
      batch: { max: AREA_ADDRESSES_MAX, of: 'addresses' },
      errors: ['batch_too_large', 'not_found'],
    },
  }),
} satisfies ContractRoutes)
