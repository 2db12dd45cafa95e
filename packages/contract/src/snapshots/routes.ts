/** Backup and restore of a whole store. Spec 9.4; decisions: backup. */
import * as z from 'zod'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { flagUnlessFalse, query } from '../shared/query.ts'

const restoredSchema = z
  .object({
    Index: z
      .number()
      .int()
      .meta({ description: 'Commit index of the restored store. It is higher than any earlier index.' }),
    SnapshotIndex: z.number().int().meta({ description: 'Commit index at which the archive was made.' }),
    Records: z
      .record(z.string(), z.number().int())
      .meta({ description: 'Number of restored records, by table.' }),
  })
  .meta({ id: 'RestoredSnapshot', description: 'What was restored.' })
export type RestoredSnapshot = z.infer<typeof restoredSchema>

export const snapshots = c.router({
  read: get('/v1/snapshot', z.string().meta({ description: 'The archive, as bytes.' }), {
    summary: 'Read an archive of the whole store',
    description:
      'Every record of this datacenter at one commit index, with checksums. Secrets stay encrypted, and the archive does not contain the keys. Clients of the header family `X-Consul-` get it in a compressed tar file with checksums. Also needs global management.',
    query: query({}),
    metadata: { right: 'operator:read', answerForm: 'bytes', spec: '9.4', errors: ['endpoint_not_built'] },
  }),
  restore: put('/v1/snapshot', restoredSchema, {
    summary: 'Replace the whole store with an archive',
    description:
      'Verifies all of the archive first, also that a server with these encryption keys made it and nobody has changed it since. Then it replaces every record in one transaction, or none. The commit index continues above both stores. Also needs global management.',
    query: query({
      unauthenticated: flagUnlessFalse(
        'Also restore an archive without an HMAC, such as one that an older version made. Anyone may have changed it, and given themselves any right: only for an archive from a place that you trust.',
      ),
    }),
    // ts-rest sends text of this type unchanged; it would quote any other as JSON.
    contentType: 'application/x-www-form-urlencoded',
    body: z.string(),
    metadata: {
      right: 'operator:write',
      writes: 'own',
      body: 'stream',
      spec: '9.4',
      errors: ['endpoint_not_built', 'body_malformed', 'snapshot_invalid', 'snapshot_refused'],
    },
  }),
} satisfies ContractRoutes)
