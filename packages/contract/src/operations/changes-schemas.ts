/** Records as one datacenter sends them to another. An extension; decisions: changes. */
import * as z from 'zod'
import { accessorId, createTime, description, hash, recordId, recordName, stored } from '../shared/fields.ts'
import { datacenters, nodeIdentitySchema, serviceIdentitySchema } from '../shared/links.ts'

const said = (text: string) => z.string().meta({ description: text })
const keys = (text: string) => z.array(z.string()).meta({ description: text })
const links = (text: string) =>
  z.array(z.strictObject({ ID: recordId })).meta({ description: `${text}, by ID only.` })
const named = { ID: recordId, Name: recordName, Description: z.string().meta({ description }) }
const tail = {
  Hash: hash,
  ...stored,
  Namespace: said('Namespace of the record; `default` in the standard edition.'),
}
const identities = {
  ServiceIdentities: z
    .array(serviceIdentitySchema)
    .meta({ description: 'Service identities of the record.' }),
  NodeIdentities: z.array(nodeIdentitySchema).meta({ description: 'Node identities of the record.' }),
}

const namespaceSchema = z
  .strictObject({
    Name: recordName,
    Description: z.string().meta({ description }),
    PolicyDefaults: links('Policies of the namespace'),
    RoleDefaults: links('Roles of the namespace'),
    ...stored,
  })
  .meta({ id: 'ChangedNamespace' })

const policySchema = z
  .strictObject({
    ...named,
    Rules: said('The rules as they were written.'),
    Datacenters: z.array(z.string()).optional().meta(datacenters),
    ...tail,
  })
  .meta({ id: 'ChangedPolicy' })

const roleSchema = z
  .strictObject({ ...named, Policies: links('Policies of the role'), ...identities, ...tail })
  .meta({ id: 'ChangedRole' })

const tokenSchema = z
  .strictObject({
    AccessorID: accessorId,
    SecretID: said('The credential.'),
    Description: z.string().meta({ description }),
    Policies: links('Policies of the token'),
    Roles: links('Roles of the token'),
    ...identities,
    Rules: said('Rules of a legacy token that was not converted; otherwise empty.'),
    Type: z
      .enum(['', 'client', 'management'])
      .meta({ description: 'Type of a legacy token; otherwise empty.' }),
    AuthMethod: said('Name of the auth method that created the token; otherwise empty.'),
    AuthMethodNamespace: said('Namespace of that auth method.'),
    LoginIdentity: said('Who logged in, as identified by the provider.'),
    ExpirationTime: said('From this instant on, the token behaves as if it were deleted.').optional(),
    CreateTime: createTime,
    ...tail,
  })
  .meta({ id: 'ChangedToken' })

export const changesSchema = z
  .strictObject({
    Cluster: said('Id of the store. If it changes, all earlier indexes are invalid.'),
    Datacenter: said('Datacenter of the server.'),
    Follows: said(
      'Set by a server in a secondary datacenter: its primary. Other datacenters must not use this server as their primary.',
    ).optional(),
    After: said(
      'The `index` or `cursor` of the request. A reader discards an answer to another request, such as a late duplicate.',
    ).optional(),
    Index: z.int().meta({ description: 'The `index` for the next request.', minimum: 0 }),
    Time: said('Time of the answer, by the clock that decides expiry.'),
    Reset: z
      .literal(true)
      .optional()
      .meta({ description: 'The changes since `index` are unknown: start over without `index`.' }),
    More: z
      .literal(true)
      .optional()
      .meta({
        description:
          'Only with `staged`: there are later changes. Records are returned in their present state, not in the state at `Index`, so do not act on them before an answer without `More`.',
      }),
    Namespaces: z
      .array(namespaceSchema)
      .meta({ description: 'Extended edition: changed namespaces, in their present state.' }),
    Policies: z.array(policySchema).meta({ description: 'Changed policies, in their present state.' }),
    Roles: z.array(roleSchema).meta({ description: 'Changed roles, in their present state.' }),
    Tokens: z
      .array(tokenSchema)
      .meta({ description: 'Changed global tokens, in their present state, including expired ones.' }),
    Deleted: z
      .strictObject({
        Namespaces: keys('Names.'),
        Policies: keys('IDs.'),
        Roles: keys('IDs.'),
        Tokens: keys('Accessors, in lower case.'),
      })
      .meta({ description: 'Records that no longer exist. The reader may never have received them.' }),
    WithoutAccessor: z
      .int()
      .optional()
      .meta({
        description:
          'Number of legacy tokens that are not in any answer yet because they have no accessor. Until it is 0, a reader keeps its legacy tokens.',
        minimum: 1,
      }),
    LeftOut: z
      .int()
      .optional()
      .meta({
        description:
          'Number of tokens that the server cannot return because their stored secret cannot be decrypted. Treat them as deleted.',
        minimum: 1,
      }),
  })
  .meta({ id: 'Changes' })

export type Changes = z.infer<typeof changesSchema>
