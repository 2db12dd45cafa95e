/** Links and identities, shared by tokens and roles. Spec 2.2 to 2.5. */
import * as z from 'zod'
import {
  DATACENTER_NAME_LENGTH_MAX,
  DATACENTERS_MAX,
  IDENTITY_NAME_LENGTH_MAX,
  LINKS_MAX,
} from '../limits.ts'
import { required } from './fields.ts'

/** Spec 2.2: by ID, or by a name that is resolved to the ID. */
export const policyLinkSchema = z
  .strictObject({
    ID: z.string().optional().meta({ description: 'ID of the policy. Goes before Name.' }),
    Name: z
      .string()
      .optional()
      .meta({ description: 'Name of the policy, resolved to its ID now: a later rename breaks nothing.' }),
  })
  .meta({ id: 'PolicyLink' })
export type PolicyLink = z.infer<typeof policyLinkSchema>

/** Spec 2.3: by ID, or by a name that is resolved to the ID. */
export const roleLinkSchema = z
  .strictObject({
    ID: z.string().optional().meta({ description: 'ID of the role. Goes before Name.' }),
    Name: z
      .string()
      .optional()
      .meta({ description: 'Name of the role, resolved to its ID now: a later rename breaks nothing.' }),
  })
  .meta({ id: 'RoleLink' })
export type RoleLink = z.infer<typeof roleLinkSchema>

/** A link as answered, with the present name. */
export const shownLinkSchema = z.strictObject({
  ID: z.string().meta({ description: 'A UUID that the service chooses.' }),
  Name: z.string().meta({ description: 'Name of the record.' }),
})

export const datacenterNames = z.array(z.string().max(DATACENTER_NAME_LENGTH_MAX)).max(DATACENTERS_MAX)
export const datacenters = { description: 'Where it holds. Empty or absent: everywhere.' }

const nameRule = `lowercase letters, digits, \`-\` and \`_\`, a letter or digit at both ends, at most ${IDENTITY_NAME_LENGTH_MAX} characters`

/** Spec 2.4. The name rule is checked by the rules, which say it; the schema knows the types. */
export const serviceIdentitySchema = z
  .strictObject({
    ServiceName: required(
      z
        .string()
        .meta({ description: `Name of the service: ${nameRule}.`, maxLength: IDENTITY_NAME_LENGTH_MAX }),
    ),
    Datacenters: datacenterNames.optional().meta(datacenters),
  })
  .meta({ id: 'ServiceIdentity' })
export type ServiceIdentity = z.infer<typeof serviceIdentitySchema>

/** Spec 2.5. */
export const nodeIdentitySchema = z
  .strictObject({
    NodeName: required(
      z.string().meta({ description: `Name of the node: ${nameRule}.`, maxLength: IDENTITY_NAME_LENGTH_MAX }),
    ),
    Datacenter: required(
      z
        .string()
        .max(DATACENTER_NAME_LENGTH_MAX)
        .meta({ description: 'The datacenter of the node, the only one where the identity holds.' }),
    ),
  })
  .meta({ id: 'NodeIdentity' })
export type NodeIdentity = z.infer<typeof nodeIdentitySchema>

/** Lists of links as bodies take them. */
export const policyLinks = z.array(policyLinkSchema).max(LINKS_MAX)
export const roleLinks = z.array(roleLinkSchema).max(LINKS_MAX)
export const serviceIdentities = z.array(serviceIdentitySchema).max(LINKS_MAX)
export const nodeIdentities = z.array(nodeIdentitySchema).max(LINKS_MAX)
