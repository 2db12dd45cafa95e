/** Tokens. Spec 2.1 to 2.5, 4.2 to 4.8. */
import * as z from 'zod'
import type { GateName } from '../gates.ts'
import { DESCRIPTION_BYTES_MAX, NAMESPACE_NAME_LENGTH_MAX } from '../limits.ts'
import { policySchema } from '../policies/routes.ts'
import { roleSchema } from '../roles/routes.ts'
import {
  accessorId,
  createTime,
  description,
  hash,
  ignored,
  namespaceChosen,
  namespaceShown,
  stored,
  storedOnCreate,
  storedOnUpdate,
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
  ServiceIdentities: 'Service identities of the token.',
  NodeIdentities: 'Node identities of the token.',
}
const AUTH_METHOD = 'Name of the auth method that created the token.'

/** A token in answers. Key order is the order on the wire. Spec 4.10 is silent; decisions: record shapes. */
export const tokenSchema = z
  .strictObject({
    AccessorID: accessorId,
    SecretID: z
      .string()
      .meta({ description: 'The credential. Callers with `acl:write` see it; others see `<hidden>`.' }),
    Description: z.string().meta({ description }),
    Policies: z
      .array(shownLinkSchema)
      .optional()
      .meta({ description: 'Policies that give the token rights.' }),
    Roles: z.array(shownLinkSchema).optional().meta({ description: 'Roles that give the token rights.' }),
    ServiceIdentities: z
      .array(serviceIdentitySchema)
      .optional()
      .meta({ description: ACTS_AS.ServiceIdentities }),
    NodeIdentities: z.array(nodeIdentitySchema).optional().meta({ description: ACTS_AS.NodeIdentities }),
    Rules: z.string().optional().meta({ description: 'Only on a legacy token that was not converted.' }),
    Local: z.boolean().meta({ description: 'Whether the token stays in its datacenter. Cannot be changed.' }),
    AuthMethod: z.string().optional().meta({ description: AUTH_METHOD }),
    AuthMethodNamespace: z
      .string()
      .optional()
      .meta({ description: 'Extended edition only: namespace of that auth method.' }),
    ExpirationTime: z
      .string()
      .optional()
      .meta({
        description:
          'From this instant on, the token behaves as if it were deleted. If absent, it does not expire.',
      }),
    CreateTime: createTime,
    Hash: hash,
    ...stored,
    Namespace: namespaceShown,
  })
  .meta({ id: 'Token' })
export type Token = z.infer<typeof tokenSchema>

/** A list entry, which is marked if the token still has legacy rules. */
export const tokenListEntrySchema = tokenSchema
  .omit({ Rules: true })
  .extend({
    Legacy: z.literal(true).optional().meta({ description: 'Present if the token still has legacy rules.' }),
  })
  .strict()
  .meta({ id: 'TokenListEntry' })
export type TokenListEntry = z.infer<typeof tokenListEntrySchema>

/** A token read with `expanded`. Spec 4.3; shape: decisions, record shapes. */
export const expandedTokenSchema = tokenSchema
  .extend({
    ExpandedPolicies: z
      .array(policySchema)
      .nullable()
      .meta({
        description:
          'Every policy that affects the token: linked, linked by its roles, or implied by its identities.',
      }),
    ExpandedRoles: z.array(roleSchema).nullable().meta({ description: 'Every role that affects the token.' }),
    NamespaceDefaultPolicyIDs: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Policies that every token in the namespace has.' }),
    NamespaceDefaultRoleIDs: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Roles that every token in the namespace has.' }),
    AgentACLDefaultPolicy: z
      .string()
      .meta({ description: 'What applies if no rule matches: `allow` or `deny`.' }),
    AgentACLDownPolicy: z.string().meta({ description: 'Always `extend-cache`.' }),
    ResolvedByAgent: z.string().meta({ description: 'Name of the server that answered.' }),
  })
  .strict()
  .meta({ id: 'ExpandedToken' })
export type ExpandedToken = z.infer<typeof expandedTokenSchema>

/** The first token, with a field for older clients. */
export const bootstrapTokenSchema = tokenSchema
  .extend({ ID: z.string().meta({ description: 'The same value as SecretID, for older clients.' }) })
  .strict()
  .meta({ id: 'BootstrapToken' })
export type BootstrapToken = z.infer<typeof bootstrapTokenSchema>

/** Fields that create and update share, each with its gate. Spec 9.1. */
const content = {
  Description: boundedText(DESCRIPTION_BYTES_MAX).optional().meta({ description }),
  Policies: policyLinks
    .optional()
    .meta({ description: 'Links, by ID or Name. An update replaces the list.' }),
  Roles: roleLinks
    .optional()
    .meta({
      description: 'Links, by ID or Name. An update replaces the list.',
      gate: 'token.roles' satisfies GateName,
    }),
  ServiceIdentities: serviceIdentities
    .optional()
    .meta({ description: ACTS_AS.ServiceIdentities, gate: 'token.serviceIdentities' satisfies GateName }),
  NodeIdentities: nodeIdentities
    .optional()
    .meta({ description: ACTS_AS.NodeIdentities, gate: 'token.nodeIdentities' satisfies GateName }),
}
const local = z
  .boolean()
  .optional()
  .meta({ description: 'Absent means `false`, so an update of a local token must contain `true`.' })

const expirationTime = { gate: 'token.expirationTime' satisfies GateName }
const expirationTtl = { gate: 'token.expirationTtl' satisfies GateName }

/** The body of create. Spec 4.2. */
export const createTokenSchema = z
  .strictObject({
    AccessorID: z
      .string()
      .optional()
      .meta({
        description: 'The accessor to use. Default: a random one.',
        gate: 'token.settableIds' satisfies GateName,
      }),
    SecretID: z
      .string()
      .optional()
      .meta({
        description: 'The secret to use. Default: a random one.',
        gate: 'token.settableIds' satisfies GateName,
      }),
    ...content,
    Rules: unoffered(z.string().meta({ description: 'Refused unless empty.' })),
    Local: local,
    AuthMethod: unoffered(z.string().meta({ description: 'Refused unless empty.' })),
    ExpirationTime: instantSchema
      .optional()
      .meta({
        description: '1 minute to 24 hours from now. If absent, the token does not expire.',
        ...expirationTime,
      }),
    ExpirationTTL: durationSchema
      .optional()
      .meta({
        description: 'Lifetime from CreateTime, as an alternative to ExpirationTime: 1 minute to 24 hours.',
        ...expirationTtl,
      }),
    Namespace: namespaceChosen,
    CreateTime: unoffered(ignored),
    ...storedOnCreate,
  })
  .meta({ id: 'TokenCreate' })
/** The decoded body, with instants and durations in milliseconds. */
export type CreateToken = z.output<typeof createTokenSchema>

/**
 * The body of update: a record as read, with changes. An update clears omitted links and Description. Every version
 * accepts the ids. Spec 4.5.
 */
export const updateTokenSchema = z
  .strictObject({
    AccessorID: z.string().optional().meta({ description: 'Absent, or the same as in the path.' }),
    SecretID: z.string().optional().meta({ description: 'Absent, or the same as the stored value.' }),
    ...content,
    Rules: z.string().optional().meta({ description: 'Refused unless empty.' }),
    Local: local,
    AuthMethod: z.string().optional().meta({ description: 'Absent, or the same as the stored value.' }),
    AuthMethodNamespace: ignored,
    ExpirationTime: instantSchema
      .optional()
      .meta({ description: 'Absent, or the stored instant.', ...expirationTime }),
    ExpirationTTL: unoffered(
      durationSchema.meta({ description: 'Refused: only a create can set a lifetime.', ...expirationTtl }),
    ),
    Namespace: namespaceChosen,
    CreateTime: ignored,
    ...storedOnUpdate,
  })
  .meta({ id: 'TokenUpdate' })
export type UpdateToken = z.output<typeof updateTokenSchema>

/**
 * The body of clone. Other fields of a token are refused (spec 4.6, 7): a caller that asks for a shorter lifetime must
 * not get a longer one.
 */
export const cloneTokenSchema = z
  .strictObject({
    Description: boundedText(DESCRIPTION_BYTES_MAX)
      .optional()
      .meta({
        description: 'Description of the clone. If absent or empty, the description of the source applies.',
      }),
    Namespace: z
      .string()
      .max(NAMESPACE_NAME_LENGTH_MAX)
      .optional()
      .meta({ description: 'Extended edition only: must be the namespace of the source.' }),
  })
  .meta({ id: 'TokenClone' })
