/** Network coordinates. Spec 9.4. */
import * as z from 'zod'
import { CATALOG_NAME_BYTES_MAX, COORDINATE_DIMENSIONS_MAX } from '../limits.ts'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { required, requiredOr } from '../shared/fields.ts'
import { blockingQuery, query, text } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'

const segment = 'Empty: the network has no segments.'
const node = z.string().meta({ description: 'Name of the node.' })
const vector = 'Eight numbers, in seconds.'
const error = 'Estimated error of the coordinate, without a unit.'
const adjustment = 'Added to distances, in seconds.'
const height = 'Distance to the core of the network, in seconds.'

export const coordSchema = z
  .strictObject({
    Vec: z.array(z.number()).meta({ description: vector }),
    Error: z.number().meta({ description: error }),
    Adjustment: z.number().meta({ description: adjustment }),
    Height: z.number().meta({ description: height }),
  })
  .meta({ id: 'Coord' })

/** The coordinate of a node in answers. */
const coordinateSchema = z
  .strictObject({
    Node: node,
    Segment: z.string().meta({ description: segment }),
    Coord: coordSchema.meta({ description: 'The coordinate.' }),
  })
  .meta({ id: 'Coordinate' })
export type Coordinate = z.infer<typeof coordinateSchema>

/** Coordinates of servers, for distances between datacenters. */
const datacenterCoordinatesSchema = z
  .strictObject({
    Datacenter: z.string().meta({ description: 'Name of the datacenter.' }),
    AreaID: z.string().meta({ description: 'Always `wan`.' }),
    Coordinates: z
      .array(coordinateSchema)
      .meta({ description: 'Always empty: servers do not measure distances between datacenters.' }),
  })
  .meta({ id: 'DatacenterCoordinates' })
export type DatacenterCoordinates = z.infer<typeof datacenterCoordinatesSchema>

const reportedCoordSchema = z.strictObject({
  Vec: z.array(z.number()).max(COORDINATE_DIMENSIONS_MAX).meta({ description: vector }),
  Error: z.number().optional().meta({ description: error }),
  Adjustment: z.number().optional().meta({ description: adjustment }),
  Height: z.number().optional().meta({ description: height }),
})

/** An agent's report about its node. */
const coordinateUpdateSchema = z
  .strictObject({
    Datacenter: z
      .string()
      .optional()
      .meta({ description: 'If present, it must be the datacenter of the server.' }),
    Node: required(boundedText(CATALOG_NAME_BYTES_MAX)).meta({
      description: 'Name of the node. Not case-sensitive.',
    }),
    Segment: boundedText(CATALOG_NAME_BYTES_MAX).optional().meta({ description: segment }),
    // An absent coordinate has no dimensions.
    Coord: requiredOr(reportedCoordSchema.default({ Vec: [] })).meta({
      description: 'The coordinate. Omitted numbers are 0.',
    }),
  })
  .meta({ id: 'CoordinateUpdate' })
export type CoordinateUpdate = z.input<typeof coordinateUpdateSchema>

/** A row of the method table. */
const row = { methodGate: 'http.enforceMethods', spec: '9.4' } as const
const bySegment = blockingQuery({ segment: text('Only coordinates of this segment.') })

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
    query: bySegment,
    metadata: { right: 'catalog', blocking: 'coordinates', rowRights: true, errors: [], ...row },
  }),
  node: get('/v1/coordinate/node/:Node', z.array(coordinateSchema), {
    pathParams: z.object({ Node: z.string().meta({ description: 'Name of the node. Not case-sensitive.' }) }),
    summary: 'Read the coordinates of a node',
    description: 'One coordinate per network segment. 404 if the node has none. Needs `node:read`.',
    query: bySegment,
    metadata: {
      right: 'catalog',
      subject: 'node name',
      blocking: 'coordinates',
      errors: ['id_missing', 'privilege_missing', 'not_found'],
      referenceStatuses: { id_missing: 404 },
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
