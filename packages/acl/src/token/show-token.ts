/** Converts a stored record to a reply: current link names, redaction, order of keys. Spec 4.3, 4.8, 4.10. */
import {
  AclError,
  type ExpandedToken,
  limits,
  type Policy,
  REDACTED_SECRET_ID,
  type Token,
  type TokenListEntry,
} from '@latchkey/contract'
import { defaultsOf } from '../global-management.ts'
import { policyHash } from '../hash.ts'
import { expandPolicyLinks, expandRoleLinks } from '../links.ts'
import { showPolicy } from '../policy/policy-rules.ts'
import type { Directory } from '../records/directory.ts'
import type { RoleRecord, TokenRecord } from '../records/records.ts'
import { showRole } from '../role/role-rules.ts'
import { nodeIdentityRules, serviceIdentityRules } from '../rules/decide/generated-rules.ts'

export interface ShowContext {
  readonly directory: Directory
  /** Whether the caller sees the secret: it has acl:write, or reads its own token. Spec 4.3, 5.3. */
  readonly showSecret: boolean
  /** True only in the extended edition. Spec 4.9. */
  readonly showNamespace: boolean
}

/** A token in the answer of a read. Order of keys: decisions, record shapes. */
export function showToken(token: TokenRecord, context: ShowContext): Token {
  return {
    ...start(token, context),
    ...(token.Rules === '' ? {} : { Rules: token.Rules }),
    ...end(token, context),
  }
}

/** A token in a list: without its rules, but marked if it has rules. */
export function showTokenListEntry(token: TokenRecord, context: ShowContext): TokenListEntry {
  return { ...start(token, context), ...end(token, context), ...(token.Rules === '' ? {} : { Legacy: true }) }
}

function start(token: TokenRecord, { directory, showSecret }: ShowContext) {
  const Policies = expandPolicyLinks(token.Policies, directory)
  const Roles = expandRoleLinks(token.Roles, directory)
  return {
    AccessorID: token.AccessorID,
    SecretID: showSecret ? token.SecretID : REDACTED_SECRET_ID,
    Description: token.Description,
    ...(Policies.length === 0 ? {} : { Policies }),
    ...(Roles.length === 0 ? {} : { Roles }),
    ...(token.ServiceIdentities.length === 0 ? {} : { ServiceIdentities: [...token.ServiceIdentities] }),
    ...(token.NodeIdentities.length === 0 ? {} : { NodeIdentities: [...token.NodeIdentities] }),
  }
}

function end(token: TokenRecord, { showNamespace }: ShowContext) {
  return {
    Local: token.Local,
    ...(token.AuthMethod === '' ? {} : { AuthMethod: token.AuthMethod }),
    ...(showNamespace && token.AuthMethodNamespace !== ''
      ? { AuthMethodNamespace: token.AuthMethodNamespace }
      : {}),
    ...(token.ExpirationTime === undefined ? {} : { ExpirationTime: token.ExpirationTime }),
    CreateTime: token.CreateTime,
    Hash: token.Hash,
    CreateIndex: token.CreateIndex,
    ModifyIndex: token.ModifyIndex,
    ...(showNamespace ? { Namespace: token.Namespace } : {}),
  }
}

/** The offset basis of 128-bit FNV-1a, the suffix of a synthetic policy's id in the reference. */
const SYNTHETIC_ID_END = '6c62272e07bb014262b821756295c58d'

interface ExpandContext extends ShowContext {
  readonly defaultPolicy: 'allow' | 'deny'
  readonly nodeName: string
}

/** The record with the policies and roles that affect it: linked, through roles, and from identities. */
export function expandToken(token: TokenRecord, context: ExpandContext): ExpandedToken {
  const { directory, showNamespace } = context
  const namespace = directory.namespace(token.Namespace)
  const links = namespace && defaultsOf(namespace, directory)
  const defaults = {
    policies: links?.policies.map((link) => link.ID) ?? [],
    roles: links?.roles.map((link) => link.ID) ?? [],
  }
  const roles = [...new Set([...token.Roles.map((link) => link.ID), ...defaults.roles])].flatMap(
    (id) => directory.role(id) ?? [],
  )
  const policies = policiesOf(token, roles, defaults.policies, context)
  return {
    ...showToken(token, context),
    ExpandedPolicies: policies.length === 0 ? null : policies,
    ExpandedRoles: roles.length === 0 ? null : roles.map((role) => showRole(role, directory, showNamespace)),
    NamespaceDefaultPolicyIDs: defaults.policies.length === 0 ? null : defaults.policies,
    NamespaceDefaultRoleIDs: defaults.roles.length === 0 ? null : defaults.roles,
    AgentACLDefaultPolicy: context.defaultPolicy,
    AgentACLDownPolicy: 'extend-cache',
    ResolvedByAgent: context.nodeName,
  }
}

function policiesOf(
  token: TokenRecord,
  roles: readonly RoleRecord[],
  defaultIds: readonly string[],
  { directory, showNamespace }: ExpandContext,
): Policy[] {
  const holders = [token, ...roles]
  const ids = [...holders.flatMap((holder) => holder.Policies.map((link) => link.ID)), ...defaultIds]
  const linked = [...new Set(ids)].flatMap((id) => {
    const policy = directory.policy(id)
    return policy ? [showPolicy(policy, showNamespace)] : []
  })
  let bytes = linked.reduce((sum, { Rules }) => sum + Rules.length, 0)
  const synthetic = new Map<string, readonly string[] | undefined>()
  const add = (rules: string, datacenters: readonly string[] | undefined) => {
    if (!synthetic.has(rules)) bytes += rules.length
    if (bytes > limits.RULES_OF_TOKEN_BYTES_MAX) throw tooLong()
    synthetic.set(rules, datacenters)
  }
  for (const { ServiceIdentities, NodeIdentities } of holders) {
    for (const { ServiceName, Datacenters } of ServiceIdentities)
      add(serviceIdentityRules(ServiceName), Datacenters)
    for (const { NodeName, Datacenter } of NodeIdentities) add(nodeIdentityRules(NodeName), [Datacenter])
  }
  if (bytes > limits.RULES_OF_TOKEN_BYTES_MAX) throw tooLong()
  return [...linked, ...[...synthetic].map(([rules, datacenters]) => syntheticPolicy(rules, datacenters))]
}

function tooLong(): AclError {
  const message = `The rules of the token exceed ${limits.RULES_OF_TOKEN_BYTES_MAX} bytes together: read it without \`expanded\``
  return new AclError('answer_too_large', message)
}

function syntheticPolicy(rules: string, datacenters: readonly string[] | undefined): Policy {
  let hex = ''
  for (const byte of new TextEncoder().encode(rules)) hex += byte.toString(16).padStart(2, '0')
  const ID = `${hex}${SYNTHETIC_ID_END}`
  const content = { Name: `synthetic-policy-${ID}`, Description: 'synthetic policy', Rules: rules }
  const Datacenters = datacenters && datacenters.length > 0 ? [...datacenters] : undefined
  return {
    ID,
    ...content,
    ...(Datacenters ? { Datacenters } : {}),
    Hash: policyHash({ ...content, Datacenters }),
    CreateIndex: 0,
    ModifyIndex: 0,
  }
}
