/** The token and what travels with it. Spec 2.1 to 2.5, 4.2 to 4.8. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import { DESCRIPTION_BYTES_MAX, NAMESPACE_NAME_LENGTH_MAX } from '../limits.ts'
import { policySchema } from '../policies/schemas.ts'
import { roleSchema } from '../roles/schemas.ts'
import {
  createTime,
  description,
  hash,
  ignored,
  namespaceChosen,
  namespaceShown,
  stored,
  unoffered,
} from '../shared/fields.ts'
import {
  nodeIdentities,
  nodeIdentitySchema,
  policyLinks,
  roleLinks,
  serviceIdentities,
  serviceIdentitySchema,
  shownLinkSchema,
} from '../shared/links.ts'
import { boundedText } from '../shared/text.ts'
import { durationSchema, instantSchema } from '../time/schemas.ts'

const ACTS_AS = {
  ServiceIdentities: 'Services that the token may act as.',
  NodeIdentities: 'Nodes that the token may act as.',
}
const AUTH_METHOD = 'Name of the auth method that created the token.'

/** A token record as answered. Key order is the order on the wire. Spec 4.10 is silent; decisions: record shapes. */
export const tokenSchema = z
  .strictObject({
    AccessorID: z.string().meta({
      description: 'The public handle of the token: stands in paths, is no secret. A UUID.',
    }),
    SecretID: z
      .string()
      .meta({ description: 'The credential. Real for a caller with `acl:write`, else `<hidden>`.' }),
    Description: z.string().meta({ description }),
    Policies: z
      .array(shownLinkSchema)
      .optional()
      .meta({ description: 'Policies that give the token its rights.' }),
    Roles: z
      .array(shownLinkSchema)
      .optional()
      .meta({ description: 'Roles that give the token their rights.' }),
    ServiceIdentities: z
      .array(serviceIdentitySchema)
      .optional()
      .meta({ description: ACTS_AS.ServiceIdentities }),
    NodeIdentities: z.array(nodeIdentitySchema).optional().meta({ description: ACTS_AS.NodeIdentities }),
    Rules: z.string().optional().meta({ description: 'Only on a legacy token that was not converted.' }),
    Local: z.boolean().meta({ description: 'true: the token stays in its datacenter. Cannot be changed.' }),
    AuthMethod: z.string().optional().meta({ description: AUTH_METHOD }),
    ExpirationTime: z.string().optional().meta({
      description: 'From this instant on the token acts as absent. Absent: it does not expire.',
    }),
    CreateTime: createTime,
    Hash: hash,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'Token' })
export type Token = z.infer<typeof tokenSchema>

/** An element of the list: the record, marked where it still carries legacy rules. */
export const tokenListEntrySchema = tokenSchema
  .omit({ Rules: true })
  .extend({
    Legacy: z
      .literal(true)
      .optional()
      .meta({ description: 'There where the token still carries legacy rules.' }),
  })
  .strict()
  .meta({ id: 'TokenListEntry' })
export type TokenListEntry = z.infer<typeof tokenListEntrySchema>

/** A token read with `expanded`. Spec 4.3; shape: decisions, record shapes. */
export const expandedTokenSchema = tokenSchema
  .extend({
    ExpandedPolicies: z.array(policySchema).nullable().meta({
      description:
        'Every policy that affects the token: linked, through roles, and the ones identities stand for.',
    }),
    ExpandedRoles: z.array(roleSchema).nullable().meta({ description: 'Every role that affects the token.' }),
    NamespaceDefaultPolicyIDs: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Policies that all tokens of the namespace have.' }),
    NamespaceDefaultRoleIDs: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Roles that all tokens of the namespace have.' }),
    AgentACLDefaultPolicy: z
      .string()
      .meta({ description: 'What happens where no rule decides: allow or deny.' }),
    AgentACLDownPolicy: z.string().meta({ description: 'Always `extend-cache`.' }),
    ResolvedByAgent: z.string().meta({ description: 'Name of the server that answers.' }),
  })
  .strict()
  .meta({ id: 'ExpandedToken' })
export type ExpandedToken = z.infer<typeof expandedTokenSchema>

/** The first token, as clients of older versions read it too. */
export const bootstrapTokenSchema = tokenSchema
  .extend({
    ID: z.string().meta({ description: 'The SecretID once more, as clients of older versions read it.' }),
  })
  .strict()
  .meta({ id: 'BootstrapToken' })
export type BootstrapToken = z.infer<typeof bootstrapTokenSchema>

/** Fields that create and update read alike, with the gate that brought each. Spec 9.1. */
const content = {
  Description: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
  Policies: policyLinks.optional().meta({ description: 'Links by ID or Name. An update replaces the list.' }),
  Roles: roleLinks.optional().meta({
    description: 'Links by ID or Name. An update replaces the list.',
    gate: 'token.roles' satisfies GateName,
  }),
  ServiceIdentities: serviceIdentities.optional().meta({
    description: ACTS_AS.ServiceIdentities,
    gate: 'token.serviceIdentities' satisfies GateName,
  }),
  NodeIdentities: nodeIdentities.optional().meta({
    description: ACTS_AS.NodeIdentities,
    gate: 'token.nodeIdentities' satisfies GateName,
  }),
}
const local = z
  .boolean()
  .optional()
  .meta({ description: 'Absent means false, so an update of a local token must say `true`.' })

const expirationTime = { gate: 'token.expirationTime' satisfies GateName }
const expirationTtl = { gate: 'token.expirationTtl' satisfies GateName }

/** The body of create. Spec 4.2. */
export const createTokenSchema = z
  .strictObject({
    AccessorID: z
      .string()
      .optional()
      .meta({
        description: 'The accessor to use, else a random one.',
        gate: 'token.settableIds' satisfies GateName,
      }),
    SecretID: z
      .string()
      .optional()
      .meta({
        description: 'The secret to use, else a random one.',
        gate: 'token.settableIds' satisfies GateName,
      }),
    ...content,
    Rules: unoffered(z.string().meta({ description: 'Refused unless empty.' })),
    Local: local,
    AuthMethod: unoffered(z.string().meta({ description: 'Refused unless empty.' })),
    ExpirationTime: instantSchema.optional().meta({
      description: '1 minute to 24 hours ahead. Absent: the token does not expire.',
      ...expirationTime,
    }),
    ExpirationTTL: durationSchema.optional().meta({
      description: 'Lifetime from CreateTime on, in place of ExpirationTime: 1 minute to 24 hours.',
      ...expirationTtl,
    }),
    Namespace: namespaceChosen,
    CreateTime: unoffered(ignored),
    Hash: unoffered(ignored),
    CreateIndex: unoffered(ignored),
    ModifyIndex: unoffered(ignored),
  })
  .meta({ id: 'TokenCreate' })
/** As a caller writes it. */
export type CreateTokenInput = z.input<typeof createTokenSchema>
/** As the rules see it: instants and durations in milliseconds. */
export type CreateToken = z.output<typeof createTokenSchema>

/**
 * The body of update: a record that was read, changed. Links and Description that are left out are cleared. Ids could be
 * repeated in every version. Spec 4.5.
 */
export const updateTokenSchema = z
  .strictObject({
    AccessorID: z.string().optional().meta({ description: 'Absent, or equal to the one in the path.' }),
    SecretID: z.string().optional().meta({ description: 'Absent, or equal to the stored one.' }),
    ...content,
    Rules: z.string().optional().meta({ description: 'Refused unless empty.' }),
    Local: local,
    AuthMethod: z.string().optional().meta({ description: 'Absent, or equal to the stored one.' }),
    ExpirationTime: instantSchema
      .optional()
      .meta({ description: 'Absent, or the stored instant.', ...expirationTime }),
    ExpirationTTL: unoffered(
      durationSchema.meta({ description: 'Refused: a lifetime is given once.', ...expirationTtl }),
    ),
    Namespace: namespaceChosen,
    CreateTime: ignored,
    Hash: ignored,
    CreateIndex: ignored,
    ModifyIndex: ignored,
  })
  .meta({ id: 'TokenUpdate' })
export type UpdateTokenInput = z.input<typeof updateTokenSchema>
export type UpdateToken = z.output<typeof updateTokenSchema>

/**
 * The body of clone. Any other field of a token is refused (spec 4.6, 7): a caller that asks for a shorter life must not
 * get a longer one.
 */
export const cloneTokenSchema = z
  .strictObject({
    Description: boundedText(DESCRIPTION_BYTES_MAX)
      .optional()
      .meta({ description: 'Description of the clone. Empty: that of the source.' }),
    Namespace: z
      .string()
      .max(NAMESPACE_NAME_LENGTH_MAX)
      .optional()
      .meta({ description: 'Extended edition only: the namespace of the source, and no other.' }),
  })
  .meta({ id: 'TokenClone' })
export type CloneTokenInput = z.input<typeof cloneTokenSchema>
export type CloneToken = z.output<typeof cloneTokenSchema>
