/** Network coordinates: positions of nodes, estimated from round-trip times. */
import * as z from 'zod'
import { CATALOG_NAME_BYTES_MAX, COORDINATE_DIMENSIONS_MAX } from '../limits.ts'
import { required, requiredOr } from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'

const segment = 'Empty: the network has no segments.'
const node = z.string().meta({ description: 'Name of the node.' })
const vector = 'Eight numbers, in seconds.'
const error = 'Estimated error of the coordinate, without a unit.'
const adjustment = 'Added to distances, in seconds.'
const height = 'Distance to the core of the network, in seconds.'

const coordSchema = z
  .strictObject({
    Vec: z.array(z.number()).meta({ description: vector }),
    Error: z.number().meta({ description: error }),
    Adjustment: z.number().meta({ description: adjustment }),
    Height: z.number().meta({ description: height }),
  })
  .meta({ id: 'Coord' })

/** The coordinate of a node in answers. */
export const coordinateSchema = z
  .strictObject({
    Node: node,
    Segment: z.string().meta({ description: segment }),
    Coord: coordSchema.meta({ description: 'The coordinate.' }),
  })
  .meta({ id: 'Coordinate' })
export type Coordinate = z.infer<typeof coordinateSchema>

/** Coordinates of servers, for distances between datacenters. */
export const datacenterCoordinatesSchema = z
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
export const coordinateUpdateSchema = z
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
