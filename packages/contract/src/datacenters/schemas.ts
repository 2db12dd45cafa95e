/** Operator decisions about replication between datacenters. Decisions: promotion. */
import * as z from 'zod'
import { required } from '../shared/fields.ts'

const clusterId = 'ID of the store of a primary datacenter: the `Cluster` that its `/v1/acl/changes` returns.'

export const acceptClusterSchema = z
  .strictObject({ Cluster: required(z.string()).meta({ description: clusterId }) })
  .meta({ id: 'AcceptCluster' })

export const acceptedClusterSchema = z
  .strictObject({
    Accepted: z.string().meta({ description: clusterId }),
    PrimaryDatacenter: z.string().meta({ description: 'The datacenter that this one follows.' }),
  })
  .meta({ id: 'AcceptedCluster' })
export type AcceptedCluster = z.infer<typeof acceptedClusterSchema>

export const promoteDatacenterSchema = z
  .strictObject({
    Datacenter: required(z.string()).meta({
      description:
        'Name of the datacenter that becomes the primary. It must be the datacenter of this server, as a confirmation.',
    }),
    Force: z
      .boolean()
      .optional()
      .meta({ description: 'Promote although the primary has answered within the last minute.' }),
  })
  .meta({ id: 'PromoteDatacenter' })

export const promotedDatacenterSchema = z
  .strictObject({
    Datacenter: z.string().meta({ description: 'The new primary datacenter: this one.' }),
    Cluster: z
      .string()
      .meta({ description: 'The new ID of its store, which operators of other datacenters must accept.' }),
    Index: z.int().meta({ description: 'Commit index of the promotion.', minimum: 0 }),
    FollowedCluster: z.string().meta({ description: 'ID of the store of the old primary.' }),
    FollowedIndex: z
      .int()
      .meta({
        description: 'Commit index of the old primary whose records this datacenter has.',
        minimum: 0,
      }),
    Skipped: z
      .array(
        z.strictObject({
          AccessorID: z.string().meta({ description: 'Accessor of a global token.' }),
          Reason: z.string().meta({ description: 'Why it could not be stored here.' }),
        }),
      )
      .meta({ description: 'Global tokens of the old primary that this datacenter lacks.' }),
  })
  .meta({ id: 'PromotedDatacenter' })
export type PromotedDatacenter = z.infer<typeof promotedDatacenterSchema>
