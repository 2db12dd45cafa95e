/** Operator decisions about replication between datacenters. An extension; decisions: promotion. */
import * as z from 'zod'
import { type ContractRoutes, c, put } from '../route.ts'
import { required } from '../shared/fields.ts'
import { query } from '../shared/query.ts'

const clusterId = 'ID of the store of a primary datacenter: the `Cluster` that its `/v1/acl/changes` returns.'

const acceptClusterSchema = z
  .strictObject({ Cluster: required(z.string()).meta({ description: clusterId }) })
  .meta({ id: 'AcceptCluster' })

const acceptedClusterSchema = z
  .strictObject({
    Accepted: z.string().meta({ description: clusterId }),
    PrimaryDatacenter: z.string().meta({ description: 'The datacenter that this one follows.' }),
  })
  .meta({ id: 'AcceptedCluster' })
export type AcceptedCluster = z.infer<typeof acceptedClusterSchema>

const promoteDatacenterSchema = z
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

const promotedDatacenterSchema = z
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

/** Both endpoints affect every policy, role and global token, so they require the right to write them. */
const decision = {
  right: 'acl:write',
  body: 'json',
  writes: 'own',
  refusedInLegacyMode: true,
  gate: 'api.token',
  spec: 'extension',
} as const

export const datacenters = c.router({
  accept: put('/v1/acl/replication/accept', acceptedClusterSchema, {
    summary: 'Accept the records of another primary store',
    description:
      'Replication pauses if the id of the primary’s store has changed, or if following it would delete many records. Accepting lets the records of the named store replace the records of this datacenter. In a promoted datacenter whose settings name another primary, this ends the promotion. In the extended edition only a global manager may accept.',
    query: query({}),
    body: acceptClusterSchema,
    metadata: { ...decision, errors: ['field_required', 'id_invalid', 'replication_refused'] },
  }),
  promote: put('/v1/acl/replication/promote', promotedDatacenterSchema, {
    summary: 'Make a secondary datacenter the primary',
    description:
      'Ends replication: this datacenter then owns the records, its store gets a new id, and its commit index rises above every index of the old primary. Refused while the first copy is incomplete, and without `Force` while the primary answers. In the extended edition only a global manager may promote.',
    query: query({}),
    body: promoteDatacenterSchema,
    metadata: { ...decision, errors: ['field_required', 'field_invalid', 'replication_refused'] },
  }),
} satisfies ContractRoutes)
