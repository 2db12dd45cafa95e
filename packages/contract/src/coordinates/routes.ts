/** Network coordinates. Spec 9.4. */
import * as z from 'zod'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { blockingQuery, query, text } from '../shared/query.ts'
import { coordinateSchema, coordinateUpdateSchema, datacenterCoordinatesSchema } from './schemas.ts'

/** A row of the method table. */
const row = { methodGate: 'http.enforceMethods', spec: '9.4' } as const
const segment = text('Only coordinates of this segment.')

export const coordinates = c.router({
  datacenters: get('/v1/coordinate/datacenters', z.array(datacenterCoordinatesSchema), {
    summary: 'List the datacenters, without coordinates',
    description: 'The local datacenter comes first. Datacenters have no coordinates.',
    query: query({}),
    metadata: { right: 'none', local: true, errors: [], ...row },
  }),
  nodes: get('/v1/coordinate/nodes', z.array(coordinateSchema), {
    summary: 'List the coordinates of nodes',
    description: 'In order of node. Shows nodes that the caller may read.',
    query: blockingQuery({ segment }),
    metadata: { right: 'catalog', blocking: 'coordinates', rowRights: true, errors: [], ...row },
  }),
  node: get('/v1/coordinate/node/:Node', z.array(coordinateSchema), {
    pathParams: z.object({ Node: z.string().meta({ description: 'Name of the node. Not case-sensitive.' }) }),
    summary: 'Read the coordinates of a node',
    description: 'One coordinate per network segment. 404 if the node has none. Needs `node:read`.',
    query: blockingQuery({ segment }),
    metadata: {
      right: 'catalog',
      subject: 'node name',
      blocking: 'coordinates',
      errors: ['id_missing', 'privilege_missing', 'not_found'],
      spec: 'extension',
    },
  }),
  update: put('/v1/coordinate/update', z.string().meta({ description: 'Empty.' }), {
    summary: 'Report the coordinate of a node',
    description:
      'Stored within five seconds, together with reports of other nodes. Reports of unregistered nodes are dropped. Needs `node:write`.',
    query: query({}),
    body: coordinateUpdateSchema,
    metadata: {
      right: 'catalog',
      writes: 'own',
      body: 'json',
      looseNames: true,
      answerForm: 'text',
      errors: ['field_required', 'field_invalid', 'privilege_missing', 'datacenter_unknown'],
      spec: 'extension',
    },
  }),
} satisfies ContractRoutes)
