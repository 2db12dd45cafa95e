/** Operator decisions about replication between datacenters. An extension; decisions: promotion. */
import { type ContractRoutes, c, put } from '../route.ts'
import { query } from '../shared/query.ts'
import {
  acceptClusterSchema,
  acceptedClusterSchema,
  promoteDatacenterSchema,
  promotedDatacenterSchema,
} from './schemas.ts'

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
