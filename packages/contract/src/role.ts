/** Roles: named sets of policy links and identities. Spec 2.3; shape: reference 5.2. */
import * as z from 'zod'
import { DESCRIPTION_BYTES_MAX, LINKS_MAX, NAMESPACE_NAME_LENGTH_MAX } from './limits.ts'
import { nodeIdentitySchema, policyLinkSchema, serviceIdentitySchema } from './links.ts'
import { boundedText } from './text.ts'

/** A role record as answered, alone and in lists. Key order is the order on the wire. */
export const roleSchema = z
  .strictObject({
    ID: z.string(),
    Name: z.string(),
    Description: z.string(),
    Policies: z.array(z.strictObject({ ID: z.string(), Name: z.string() })).optional(),
    ServiceIdentities: z.array(serviceIdentitySchema).optional(),
    NodeIdentities: z.array(nodeIdentitySchema).optional(),
    Hash: z.string(),
    CreateIndex: z.int(),
    ModifyIndex: z.int(),
    Namespace: z.string().optional(),
  })
  .meta({ id: 'Role' })
export type Role = z.infer<typeof roleSchema>

/** The body of create and update. */
export const roleRequestSchema = z
  .strictObject({
    ID: z.string().optional(),
    Name: z.string().default(''),
    Description: boundedText(DESCRIPTION_BYTES_MAX).optional(),
    Policies: z.array(policyLinkSchema).max(LINKS_MAX).optional(),
    ServiceIdentities: z.array(serviceIdentitySchema).max(LINKS_MAX).optional(),
    NodeIdentities: z.array(nodeIdentitySchema).max(LINKS_MAX).optional(),
    Namespace: z.string().max(NAMESPACE_NAME_LENGTH_MAX).optional(),
    Hash: z.unknown().optional(),
    CreateIndex: z.unknown().optional(),
    ModifyIndex: z.unknown().optional(),
  })
  .meta({ id: 'RoleRequest' })
export type RoleRequestInput = z.input<typeof roleRequestSchema>
export type RoleRequest = z.output<typeof roleRequestSchema>
