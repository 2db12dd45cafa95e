/** Roles: named sets of policy links and identities. Spec 2.3. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import { DESCRIPTION_BYTES_MAX, ROLE_NAME_LENGTH_MAX } from '../limits.ts'
import {
  description,
  hash,
  idOnCreate,
  idOnUpdate,
  namespaceChosen,
  namespaceShown,
  recordId,
  recordName,
  required,
  stored,
  storedOnCreate,
  storedOnUpdate,
} from '../shared/fields.ts'
import {
  nodeIdentities,
  nodeIdentitySchema,
  policyLinks,
  serviceIdentities,
  serviceIdentitySchema,
  shownLinkSchema,
} from '../shared/links.ts'
import { boundedText } from '../shared/text.ts'

const policies = { description: 'Policies that give rights to tokens with the role.' }
const services = { description: 'Service identities of tokens with the role.' }
const nodes = { description: 'Node identities of tokens with the role.' }

/** A role in answers, alone and in lists. Key order is the order on the wire. */
export const roleSchema = z
  .strictObject({
    ID: recordId,
    Name: recordName,
    Description: z.string().meta({ description }),
    Policies: z.array(shownLinkSchema).optional().meta(policies),
    ServiceIdentities: z.array(serviceIdentitySchema).optional().meta(services),
    NodeIdentities: z.array(nodeIdentitySchema).optional().meta(nodes),
    Hash: hash,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'Role' })
export type Role = z.infer<typeof roleSchema>

const content = {
  Name: required(
    z
      .string()
      .meta({
        description: `Letters, digits, \`-\` and \`_\`, at most ${ROLE_NAME_LENGTH_MAX} characters; unique regardless of case.`,
        maxLength: ROLE_NAME_LENGTH_MAX,
      }),
  ),
  Description: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
  Policies: policyLinks.optional().meta(policies),
  ServiceIdentities: serviceIdentities.optional().meta(services),
  NodeIdentities: nodeIdentities
    .optional()
    .meta({ ...nodes, gate: 'token.nodeIdentities' satisfies GateName }),
  Namespace: namespaceChosen,
}

/** The body of create. */
export const createRoleSchema = z
  .strictObject({ ID: idOnCreate, ...content, ...storedOnCreate })
  .meta({ id: 'RoleCreate' })
export type CreateRole = z.output<typeof createRoleSchema>

/** The body of update: a record as read, with changes. */
export const updateRoleSchema = z
  .strictObject({ ID: idOnUpdate, ...content, ...storedOnUpdate })
  .meta({ id: 'RoleUpdate' })
export type UpdateRole = z.output<typeof updateRoleSchema>
