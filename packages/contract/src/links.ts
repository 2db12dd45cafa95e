/** Links and identities, shared by tokens and roles. Spec 2.2 to 2.5. */
import * as z from 'zod'
import { DATACENTER_NAME_LENGTH_MAX, DATACENTERS_MAX } from './limits.ts'

/** Spec 2.2: by ID, or by a name that is resolved to the ID. */
export const policyLinkSchema = z
  .strictObject({ ID: z.string().optional(), Name: z.string().optional() })
  .meta({ id: 'PolicyLink' })
export type PolicyLink = z.infer<typeof policyLinkSchema>

/** Spec 2.3: by ID, or by a name that is resolved to the ID. */
export const roleLinkSchema = z
  .strictObject({ ID: z.string().optional(), Name: z.string().optional() })
  .meta({ id: 'RoleLink' })
export type RoleLink = z.infer<typeof roleLinkSchema>

export const datacenterNames = z.array(z.string().max(DATACENTER_NAME_LENGTH_MAX)).max(DATACENTERS_MAX)

/** Spec 2.4. The name rule is checked by the rules, which say it; the schema knows the types. */
export const serviceIdentitySchema = z
  .strictObject({ ServiceName: z.string().default(''), Datacenters: datacenterNames.optional() })
  .meta({ id: 'ServiceIdentity' })
export type ServiceIdentity = z.infer<typeof serviceIdentitySchema>

/** Spec 2.5. */
export const nodeIdentitySchema = z
  .strictObject({
    NodeName: z.string().default(''),
    Datacenter: z.string().max(DATACENTER_NAME_LENGTH_MAX).default(''),
  })
  .meta({ id: 'NodeIdentity' })
export type NodeIdentity = z.infer<typeof nodeIdentitySchema>
