/** Records as one datacenter hands them to another. An extension; decisions: changes. */
import * as z from 'zod'
import { accessorId, createTime, description, hash, recordId, recordName, stored } from '../shared/fields.ts'
import { datacenters, nodeIdentitySchema, serviceIdentitySchema } from '../shared/links.ts'

const said = (text: string) => z.string().meta({ description: text })
const keys = (text: string) => z.array(z.string()).meta({ description: text })
const links = (text: string) =>
  z.array(z.strictObject({ ID: recordId })).meta({ description: `${text}, by ID alone.` })
const namespace = said('Namespace of the record; `default` in the standard edition.')
const identities = {
  ServiceIdentities: z.array(serviceIdentitySchema).meta({ description: 'Services that it may act as.' }),
  NodeIdentities: z.array(nodeIdentitySchema).meta({ description: 'Nodes that it may act as.' }),
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
    ID: recordId,
    Name: recordName,
    Description: z.string().meta({ description }),
    Rules: said('The rules as they were written.'),
    Datacenters: z.array(z.string()).optional().meta(datacenters),
    Hash: hash,
    ...stored,
    Namespace: namespace,
  })
  .meta({ id: 'ChangedPolicy' })

const roleSchema = z
  .strictObject({
    ID: recordId,
    Name: recordName,
    Description: z.string().meta({ description }),
    Policies: links('Policies whose rights the tokens of the role have'),
    ...identities,
    Hash: hash,
    ...stored,
    Namespace: namespace,
  })
  .meta({ id: 'ChangedRole' })

const tokenSchema = z
  .strictObject({
    AccessorID: accessorId,
    SecretID: said('The credential.'),
    Description: z.string().meta({ description }),
    Policies: links('Policies whose rights the token has'),
    Roles: links('Roles whose rights the token has'),
    ...identities,
    Rules: said('Rules of a legacy token that was not converted; otherwise empty.'),
    Type: z
      .enum(['', 'client', 'management'])
      .meta({ description: 'Type of a legacy token; otherwise empty.' }),
    AuthMethod: said('Name of the auth method that created the token; otherwise empty.'),
    AuthMethodNamespace: said('Namespace of that auth method.'),
    LoginIdentity: said('Who logged in, as the identity provider calls them.'),
    ExpirationTime: said('From this instant on the token counts as deleted.').optional(),
    CreateTime: createTime,
    Hash: hash,
    ...stored,
    Namespace: namespace,
  })
  .meta({ id: 'ChangedToken' })

export const changesSchema = z
  .strictObject({
    Cluster: said('Id of the store. Another id: none of the indexes before is valid.'),
    Datacenter: said('Datacenter of the server.'),
    Follows: said(
      'Primary datacenter of a server that is a secondary. Another datacenter must not take it for the primary.',
    ).optional(),
    After: said(
      'The `index` or `cursor` of the request. A reader drops an answer to another one, such as a duplicate that comes late.',
    ).optional(),
    Index: z.int().meta({ description: 'The `index` of the next request.', minimum: 0 }),
    Time: said('Time of the answer, by the clock that decides about expiry.'),
    Reset: z.literal(true).optional().meta({
      description: 'What has changed since `index` is not known: start over without `index`.',
    }),
    More: z.literal(true).optional().meta({
      description:
        'Only with `staged`: later commits changed more. Records are as they are now, not as they were at `Index`, so this is no state to act on before an answer without `More`.',
    }),
    Namespaces: z
      .array(namespaceSchema)
      .meta({ description: 'Extended edition: namespaces as they are now.' }),
    Policies: z.array(policySchema).meta({ description: 'Policies as they are now.' }),
    Roles: z.array(roleSchema).meta({ description: 'Roles as they are now.' }),
    Tokens: z
      .array(tokenSchema)
      .meta({ description: 'Global tokens as they are now, expired ones included.' }),
    Deleted: z
      .strictObject({
        Namespaces: keys('Names.'),
        Policies: keys('IDs.'),
        Roles: keys('IDs.'),
        Tokens: keys('Accessors, in lower case.'),
      })
      .meta({ description: 'Records that do not exist now; the reader need not have known them.' }),
    WithoutAccessor: z.int().optional().meta({
      description:
        'Legacy tokens that are not in any answer yet, because they have no accessor. A reader keeps what it has of them until there are none.',
      minimum: 1,
    }),
    LeftOut: z.int().optional().meta({
      description:
        'Tokens that the server cannot show, because their stored secret does not open. They count as deleted.',
      minimum: 1,
    }),
  })
  .meta({ id: 'Changes' })

const digestSchema = z
  .strictObject({
    Count: z.int().meta({ description: 'Number of records.', minimum: 0 }),
    Hash: said('XOR of the BLAKE2b-256 hashes of the records, in hex.'),
  })
  .meta({ id: 'KindDigest' })
const kindDigest = (text: string) => digestSchema.optional().meta({ description: text })

export const changesDigestSchema = z
  .strictObject({
    Cluster: said('Id of the store.'),
    Datacenter: said('Datacenter of the server.'),
    Index: z.int().meta({ description: 'Index of the moment.', minimum: 0 }),
    Changed: z.literal(true).optional().meta({
      description: 'A record has changed since `at`, or that is not known: there is no digest.',
    }),
    Namespaces: kindDigest('Of the namespaces.'),
    Policies: kindDigest('Of the policies.'),
    Roles: kindDigest('Of the roles.'),
    Tokens: kindDigest('Of the global tokens.'),
    LeftOut: z.int().optional().meta({
      description: 'Tokens whose stored secret does not open, and which are not in the digest.',
      minimum: 1,
    }),
  })
  .meta({ id: 'ChangesDigest' })
export type ChangesDigest = z.infer<typeof changesDigestSchema>
export type Changes = z.infer<typeof changesSchema>
