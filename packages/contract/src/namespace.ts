/** Namespaces, of the extended edition. Spec 4.9; decisions: namespaces. */
import * as z from 'zod'
import { DESCRIPTION_BYTES_MAX, LINKS_MAX, NAMESPACE_NAME_LENGTH_MAX } from './limits.ts'
import { policyLinkSchema, roleLinkSchema } from './links.ts'
import { boundedText } from './text.ts'

const shownLinks = z.array(z.strictObject({ ID: z.string(), Name: z.string() }))

/** A namespace as answered: its defaults are linked to every token in it. */
export const namespaceSchema = z
  .strictObject({
    Name: z.string(),
    Description: z.string(),
    ACLs: z.strictObject({ PolicyDefaults: shownLinks, RoleDefaults: shownLinks }),
    CreateIndex: z.int(),
    ModifyIndex: z.int(),
  })
  .meta({ id: 'Namespace' })
export type Namespace = z.infer<typeof namespaceSchema>

/** The body of create and update. */
export const namespaceRequestSchema = z
  .strictObject({
    Name: z.string().max(NAMESPACE_NAME_LENGTH_MAX).optional(),
    Description: boundedText(DESCRIPTION_BYTES_MAX).optional(),
    ACLs: z
      .strictObject({
        PolicyDefaults: z.array(policyLinkSchema).max(LINKS_MAX).optional(),
        RoleDefaults: z.array(roleLinkSchema).max(LINKS_MAX).optional(),
      })
      .optional(),
    CreateIndex: z.unknown().optional(),
    ModifyIndex: z.unknown().optional(),
  })
  .meta({ id: 'NamespaceRequest' })
export type NamespaceRequest = z.output<typeof namespaceRequestSchema>
