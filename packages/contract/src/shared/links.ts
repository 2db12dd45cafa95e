/** Links and identities, shared by tokens and roles. Spec 2.2 to 2.5. */
import * as z from 'zod'
import {
  DATACENTER_NAME_LENGTH_MAX,
  DATACENTERS_MAX,
  IDENTITY_NAME_LENGTH_MAX,
  LINKS_MAX,
} from '../limits.ts'
import { recordId, recordName, required } from './fields.ts'

/** Spec 2.2: by ID, or by a name that is resolved to the ID. */
const policyLinkSchema = z
  .strictObject({
    ID: z.string().optional().meta({ description: 'ID of the policy. Takes precedence over Name.' }),
    Name: z
      .string()
      .optional()
      .meta({
        description: 'Name of the policy. Resolved to its ID at once, so a later rename is harmless.',
      }),
  })
  .meta({ id: 'PolicyLink' })
export type PolicyLink = z.infer<typeof policyLinkSchema>

/** Spec 2.3: by ID, or by a name that is resolved to the ID. */
const roleLinkSchema = z
  .strictObject({
    ID: z.string().optional().meta({ description: 'ID of the role. Takes precedence over Name.' }),
    Name: z
      .string()
      .optional()
      .meta({ description: 'Name of the role. Resolved to its ID at once, so a later rename is harmless.' }),
  })
  .meta({ id: 'RoleLink' })
export type RoleLink = z.infer<typeof roleLinkSchema>

/** A link in answers, with the current name. */
export const shownLinkSchema = z.strictObject({ ID: recordId, Name: recordName })

export const datacenterNames = z.array(z.string().max(DATACENTER_NAME_LENGTH_MAX)).max(DATACENTERS_MAX)
export const datacenters = { description: 'Datacenters in which it applies. Empty or absent: all.' }

const nameRule = `lowercase letters, digits, \`-\` and \`_\`, a letter or digit at both ends, at most ${IDENTITY_NAME_LENGTH_MAX} characters`

/** Spec 2.4. The rules check the name; the schema checks the types. */
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
        .meta({ description: 'Datacenter of the node. The identity applies only there.' }),
    ),
  })
  .meta({ id: 'NodeIdentity' })
export type NodeIdentity = z.infer<typeof nodeIdentitySchema>

/** Lists of links in bodies. */
export const policyLinks = z.array(policyLinkSchema).max(LINKS_MAX)
export const roleLinks = z.array(roleLinkSchema).max(LINKS_MAX)
export const serviceIdentities = z.array(serviceIdentitySchema).max(LINKS_MAX)
export const nodeIdentities = z.array(nodeIdentitySchema).max(LINKS_MAX)
