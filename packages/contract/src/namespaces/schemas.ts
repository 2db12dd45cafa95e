/** Namespaces, in the extended edition. Spec 4.9; decisions: namespaces. */
import * as z from 'zod'
import { DESCRIPTION_BYTES_MAX, NAMESPACE_NAME_LENGTH_MAX } from '../limits.ts'
import { description, ignored, recordName, required, stored, unoffered } from '../shared/fields.ts'
import { policyLinks, roleLinks, shownLinkSchema } from '../shared/links.ts'
import { boundedText } from '../shared/text.ts'

const policyDefaults = { description: 'Default policies of the namespace.' }
const roleDefaults = { description: 'Default roles of the namespace.' }

/** A namespace in answers. */
export const namespaceSchema = z
  .strictObject({
    Name: recordName,
    Description: z.string().meta({ description }),
    ACLs: z
      .strictObject({
        PolicyDefaults: z.array(shownLinkSchema).meta(policyDefaults),
        RoleDefaults: z.array(shownLinkSchema).meta(roleDefaults),
      })
      .meta({ description: 'Links that every token in the namespace has in addition to its own.' }),
    ...stored,
  })
  .meta({ id: 'Namespace' })
export type Namespace = z.infer<typeof namespaceSchema>

const content = {
  Description: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
  ACLs: z
    .strictObject({
      PolicyDefaults: policyLinks.optional().meta(policyDefaults),
      RoleDefaults: roleLinks.optional().meta(roleDefaults),
    })
    .optional()
    .meta({ description: 'Links for every token in the namespace, in addition to its own.' }),
}

/** The body of create. */
export const createNamespaceSchema = z
  .strictObject({
    Name: required(
      z
        .string()
        .max(NAMESPACE_NAME_LENGTH_MAX)
        .meta({
          description: `Letters, digits, \`-\` and \`_\`, a letter or digit at both ends, at most ${NAMESPACE_NAME_LENGTH_MAX} characters.`,
        }),
    ),
    ...content,
    CreateIndex: unoffered(ignored),
    ModifyIndex: unoffered(ignored),
  })
  .meta({ id: 'NamespaceCreate' })
export type CreateNamespace = z.output<typeof createNamespaceSchema>

/** The body of update: a record as read, with changes. */
export const updateNamespaceSchema = z
  .strictObject({
    Name: z
      .string()
      .max(NAMESPACE_NAME_LENGTH_MAX)
      .optional()
      .meta({ description: 'Absent, or the same as in the path.' }),
    ...content,
    CreateIndex: ignored,
    ModifyIndex: ignored,
  })
  .meta({ id: 'NamespaceUpdate' })
export type UpdateNamespace = z.output<typeof updateNamespaceSchema>
