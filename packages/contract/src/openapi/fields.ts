/** What the fields mean: one sentence each, for the OpenAPI document and everything that is rendered from it. */
import * as limits from '../limits.ts'
import type { ServiceProfile } from '../profile.ts'
import { TOKEN_FIELD_GATES } from '../token.ts'
import type { JsonSchema } from './document.ts'

type FieldFacts = Pick<JsonSchema, 'description' | 'format' | 'minimum' | 'deprecated' | 'maxLength'>

const index = (description: string): FieldFacts => ({ description, minimum: 0 })
const ignored = { description: 'Accepted and ignored, so that a record that was read can be sent back.' }
const identityName = `lowercase letters, digits, \`-\` and \`_\`, a letter or digit at both ends, at most ${limits.IDENTITY_NAME_LENGTH_MAX} characters`
const recordName = (lengthMax: number) =>
  `Letters, digits, \`-\` and \`_\`, at most ${lengthMax} characters; unique without case.`

/** By field name, or by owner and field where the same name means different things. The longest key wins. */
const FIELDS: Readonly<Record<string, FieldFacts>> = {
  AccessorID: { description: 'The public handle of the token: stands in paths, is no secret. A UUID.' },
  SecretID: { description: 'The credential. Real for a caller with `acl:write`, else `<hidden>`.' },
  Description: { description: 'Free text for people.' },
  Policies: { description: 'Policies that give the token its rights.' },
  Roles: { description: 'Roles that give the token their rights.' },
  ServiceIdentities: { description: 'Services that the token may act as.' },
  NodeIdentities: { description: 'Nodes that the token may act as.' },
  Rules: { description: 'A rule text, kept as it was written.' },
  Local: { description: 'true: the token stays in its datacenter. Cannot be changed.' },
  AuthMethod: { description: 'Name of the auth method that created the token.' },
  ExpirationTime: {
    description: 'From this instant on the token acts as absent. Absent: it does not expire.',
  },
  ExpirationTTL: {
    description: 'Lifetime from CreateTime on, in place of ExpirationTime: 1 minute to 24 hours.',
  },
  Namespace: { description: 'Extended edition only.' },
  CreateTime: { description: 'When the record was created. RFC 3339, UTC, to the millisecond.' },
  Hash: { description: 'Base64 of a BLAKE2b-256 over the content: equal content, equal hash.' },
  CreateIndex: index('Commit index of the write that created the record.'),
  ModifyIndex: index('Commit index of the last write to the record.'),
  ID: { description: 'A UUID that the service chooses.' },
  Name: { description: 'Name of the record.' },
  Datacenters: { description: 'Where it holds. Empty or absent: everywhere.' },
  Datacenter: { description: 'Name of a datacenter.' },
  Message: { description: 'The finding in words.' },
  Code: { description: 'Stable code of the finding.' },
  Line: { description: 'Line in the rule text, from 1.', minimum: 1 },
  Column: { description: 'Column in the line, from 1.', minimum: 1 },
  Severity: { description: 'How much it matters.' },

  'TokenRequest.AccessorID': {
    description:
      'On create: the accessor to use, else a random one. On update: absent, or equal to the one in the path.',
  },
  'TokenRequest.SecretID': {
    description:
      'On create: the secret to use, else a random one. On update: absent, or equal to the stored one.',
  },
  'TokenRequest.Policies': { description: 'Links by ID or Name. An update replaces the list.' },
  'TokenRequest.Roles': { description: 'Links by ID or Name. An update replaces the list.' },
  'TokenRequest.Local': {
    description: 'Absent means false, so an update of a local token must say `true`.',
  },
  'TokenRequest.AuthMethod': {
    description: 'Absent on create. On update: absent, or equal to the stored one.',
  },
  'TokenRequest.ExpirationTime': {
    description: 'On create: 1 minute to 24 hours ahead. On update: absent, or the stored instant.',
  },
  'TokenRequest.Namespace': {
    description: 'Extended edition only. Goes before `ns`, the header and the namespace of the caller.',
  },
  'TokenRequest.CreateTime': ignored,
  'TokenRequest.Hash': ignored,
  'TokenRequest.CreateIndex': ignored,
  'TokenRequest.ModifyIndex': ignored,
  'CloneRequest.Namespace': {
    description: 'Extended edition only: the namespace of the source, and no other.',
  },
  'CloneRequest.Description': { description: 'Description of the clone. Empty: that of the source.' },
  'TokenListEntry.Legacy': { description: 'There where the token still carries legacy rules.' },
  'ExpandedToken.ExpandedPolicies': {
    description:
      'Every policy that affects the token: linked, through roles, and the ones identities stand for.',
  },
  'ExpandedToken.ExpandedRoles': { description: 'Every role that affects the token.' },
  'ExpandedToken.NamespaceDefaultPolicyIDs': {
    description: 'Policies that all tokens of the namespace have.',
  },
  'ExpandedToken.NamespaceDefaultRoleIDs': { description: 'Roles that all tokens of the namespace have.' },
  'ExpandedToken.AgentACLDefaultPolicy': {
    description: 'What happens where no rule decides: allow or deny.',
  },
  'ExpandedToken.AgentACLDownPolicy': { description: 'Always `extend-cache`.' },
  'ExpandedToken.ResolvedByAgent': { description: 'Name of the server that answers.' },
  'BootstrapToken.ID': { description: 'The SecretID once more, as clients of older versions read it.' },

  'PolicyLink.ID': { description: 'ID of the policy. Goes before Name.' },
  'PolicyLink.Name': {
    description: 'Name of the policy, resolved to its ID now: a later rename breaks nothing.',
  },
  'RoleLink.ID': { description: 'ID of the role. Goes before Name.' },
  'RoleLink.Name': {
    description: 'Name of the role, resolved to its ID now: a later rename breaks nothing.',
  },
  'ServiceIdentity.ServiceName': {
    description: `Name of the service: ${identityName}.`,
    maxLength: limits.IDENTITY_NAME_LENGTH_MAX,
  },
  'NodeIdentity.NodeName': {
    description: `Name of the node: ${identityName}.`,
    maxLength: limits.IDENTITY_NAME_LENGTH_MAX,
  },
  'NodeIdentity.Datacenter': {
    description: 'The datacenter of the node, the only one where the identity holds.',
  },

  'PolicyRequest.ID': {
    description: 'Absent on create. On update: absent, or equal to the one in the path.',
  },
  'PolicyRequest.Name': {
    description: recordName(limits.POLICY_NAME_LENGTH_MAX),
    maxLength: limits.POLICY_NAME_LENGTH_MAX,
  },
  'PolicyRequest.Rules': { description: 'Rules in HCL or JSON. Empty: the policy grants nothing.' },
  'PolicyRequest.Hash': ignored,
  'PolicyRequest.CreateIndex': ignored,
  'PolicyRequest.ModifyIndex': ignored,
  'RoleRequest.ID': { description: 'Absent on create. On update: absent, or equal to the one in the path.' },
  'RoleRequest.Name': {
    description: recordName(limits.ROLE_NAME_LENGTH_MAX),
    maxLength: limits.ROLE_NAME_LENGTH_MAX,
  },
  'RoleRequest.Hash': ignored,
  'RoleRequest.CreateIndex': ignored,
  'RoleRequest.ModifyIndex': ignored,

  'Namespace.ACLs': { description: 'What every token of the namespace has on top of its own.' },
  'NamespaceRequest.ACLs': { description: 'What every token of the namespace shall have on top of its own.' },
  PolicyDefaults: { description: 'Policies of the namespace.' },
  RoleDefaults: { description: 'Roles of the namespace.' },
  'NamespaceRequest.Name': {
    description: `Letters, digits, \`-\` and \`_\`, a letter or digit at both ends, at most ${limits.NAMESPACE_NAME_LENGTH_MAX} characters.`,
  },
  'NamespaceRequest.CreateIndex': ignored,
  'NamespaceRequest.ModifyIndex': ignored,

  Resource: { description: 'What is asked about: `acl`, `key`, `service` and so on. With case.' },
  Segment: {
    description:
      'The name or path within the resource. Absent for `acl`, `keyring`, `mesh`, `operator`, `peering`.',
  },
  Access: { description: '`read` or `write`; for keys also `list` and `write-prefix`. Without case.' },
  Allow: { description: 'Whether it may be done.' },
  'AuthorizeCheck.Allow': { description: 'Accepted and ignored, so that an answer can be sent back.' },
  'AuthorizeAnswer.Explanation': { description: 'Why, with `?explain`.' },
  'Explanation.Rule': {
    description: 'The rule that decided. Absent: none did, and the default policy counts.',
  },
  'Explanation.Path': { description: 'How the token comes to the rule, outermost first.' },
  'Explanation.Missing': { description: 'The right that is missing, where the answer is no.' },
  'Explanation.Rule.PolicyID': { description: 'Policy of the rule; empty where it comes from elsewhere.' },
  'Explanation.Rule.PolicyName': { description: 'Its name.' },
  'Explanation.Rule.Kind': { description: 'Kind as written, such as `key_prefix`.' },
  'Explanation.Rule.Segment': { description: 'Segment as written.' },
  'Explanation.Rule.Level': { description: 'Level as written, such as `read`.' },
  'WhatIfChange.Gains': { description: 'What the token could do then and cannot now.' },
  'WhatIfChange.Losses': { description: 'What the token can do now and could not then.' },
  'WhatIfRequest.Rules': { description: 'The rules that the policy would have.' },
  'LintRequest.Rules': { description: 'The rule text to look at.' },

  'LegacyToken.ID': { description: 'The secret of the token: any text.' },
  'LegacyToken.Name': { description: 'Free text for people.' },
  'LegacyToken.Type': { description: '`management` may do everything; `client` what its rules say.' },
  'LegacyToken.Rules': {
    description: 'Rules of a client token, in the legacy syntax: every segment is a prefix.',
  },
  'LegacyTokenRequest.ID': { description: 'The secret. Absent on create: a random one.' },
  'LegacyTokenRequest.Name': { description: 'Free text for people.' },
  'LegacyTokenRequest.Type': { description: '`client` (absent means that) or `management`.' },
  'LegacyTokenRequest.Rules': { description: 'Rules in the legacy syntax.' },
  'LegacyTokenRequest.CreateIndex': ignored,
  'LegacyTokenRequest.ModifyIndex': ignored,
  'LegacyTokenID.ID': { description: 'The secret of the token.' },
  'ImportResult.Imported': index('Tokens that were written.'),
  'ImportResult.Unchanged': index('Tokens that were there already, just so.'),
  'ImportResult.Problems': { description: 'What was found in the list, in its order.' },
  'ImportResult.Problems.Position': index('Place in the list, from 0.'),

  'KVEntry.LockIndex': index('Always 0: there are no sessions.'),
  'KVEntry.Key': { description: 'The whole key.' },
  'KVEntry.Flags': index('A number of the caller’s own.'),
  'KVEntry.Value': { description: 'The value in base64; null where it is empty.' },

  'ReplicationStatus.Enabled': { description: 'Whether this datacenter replicates from a primary.' },
  'ReplicationStatus.Running': { description: 'Whether replication runs now.' },
  'ReplicationStatus.SourceDatacenter': {
    description: 'The primary datacenter; empty in the primary itself.',
  },
  'ReplicationStatus.ReplicationType': { description: 'What is replicated, in a word.' },
  'ReplicationStatus.ReplicatedIndex': index('Index of the primary up to which policies are here.'),
  'ReplicationStatus.ReplicatedRoleIndex': index('The same for roles.'),
  'ReplicationStatus.ReplicatedTokenIndex': index('The same for tokens.'),
  'ReplicationStatus.LastSuccess': { description: 'When a round last succeeded; the zero time for never.' },
  'ReplicationStatus.LastError': { description: 'When a round last failed; the zero time for never.' },
  'ReplicationStatus.LastErrorMessage': { description: 'Why it failed.' },
  'ReplicationStatus.Mode': { description: 'Mode of the ACL system in this datacenter.' },
  'Member.ID': { description: 'Id of the server process.' },
  'Member.Name': { description: 'Name of the server.' },
  'Member.Addr': { description: 'Address it listens on.' },
  'Member.Port': { description: 'Port it listens on.', minimum: 0 },
  'Member.Tags': { description: 'Facts that the process tells of itself, as texts.' },
  'Member.Status': { description: '1 alive, 3 left, 4 failed.' },
  'Member.Version': { description: 'Service version it speaks as.' },
  'AgentSelf.Config': { description: 'A few settings; the whole configuration before 1.0.' },
  'AgentSelf.DebugConfig': { description: 'The whole configuration without secrets. May change any time.' },
  'AgentSelf.Stats': { description: 'Facts about the process by part, as texts.' },
  'AgentSelf.Member': { description: 'This process as the member list shows it.' },
  'AgentSelf.Meta': { description: 'Empty.' },
  'MigrationStatus.State': { description: 'waiting for legacy mode to end, running, or done.' },
  'MigrationStatus.Done': index('Tokens that have been given an accessor.'),
  'MigrationStatus.Total': index('Those, and the ones that still lack one.'),
  'MigrationStatus.Batches': index('Batches so far.'),
  'MigrationStatus.TokensPerSecond': { description: 'Measured over the batches without a long pause.' },
  'MigrationStatus.EstimatedSeconds': { description: 'What is left, by the law of batches.' },
  'MigrationStatus.StartedAt': { description: 'Instant of the first batch of this run.' },
  'MigrationStatus.LastBatchAt': { description: 'Instant of the last batch.' },
  'MigrationStatus.LastError': { description: 'What went wrong last, where this process runs it.' },
  'MigrationStatus.WaitsFor': { description: 'In legacy mode: what has to happen before it ends.' },
  'VersionChange.Gate': { description: 'Name of the version gate.' },
  'VersionChange.Change': { description: 'Whether the gate opens or closes.' },
  'VersionChange.At': { description: 'The version that brings the change.' },
  'VersionChange.Kind': { description: 'field, endpoint, behaviour or limit.' },
  'VersionChange.SpecRow': { description: 'Section of the API reference.' },
  'VersionChange.Sentence': { description: 'Before and after.' },
  'VersionChange.ClientSees': { description: 'What a client sees on the wire.' },
  'VersionChange.BreaksClients': {
    description: 'Whether a client that was right before can be refused or misled.',
  },
  'VersionChange.DecidedBy': {
    description:
      'Whose version counts where they are mixed: the agent that is asked, the server behind it, or both.',
  },
  'AgentMetrics.Timestamp': { description: 'When the metrics were read, to the second, in UTC.' },
  'AgentMetrics.Gauges': { description: 'Values as they are now.' },
  'AgentMetrics.Points': { description: 'Always empty.' },
  'AgentMetrics.Counters': { description: 'Events, counted from the start of the process.' },
  'AgentMetrics.Samples': { description: 'Measured values, from the start of the process.' },
  'GaugeSample.Name': { description: 'As in the text for Prometheus.' },
  'GaugeSample.Value': { description: 'The value now.' },
  'GaugeSample.Labels': { description: 'What tells series of one name apart.' },
  'ValueSample.Name': { description: 'As in the text for Prometheus.' },
  'ValueSample.Count': { description: 'How many.', minimum: 0 },
  'ValueSample.Rate': { description: 'How many a second since the start.' },
  'ValueSample.Sum': { description: 'Of all values.' },
  'ValueSample.Min': { description: 'Lower bound of the least value.' },
  'ValueSample.Max': { description: 'Upper bound of the greatest value.' },
  'ValueSample.Mean': { description: 'Sum by count.' },
  'ValueSample.Stddev': { description: 'As near as the bounds of the histogram tell.' },
  'ValueSample.Labels': { description: 'What tells series of one name apart.' },
}

/** What is known of a field; empty where nothing is, which a test does not let pass. */
export function describeField(owner: string, field: string): FieldFacts {
  const own = FIELDS[`${owner}.${field}`]
  if (own) return own
  // Spec 4.6: only two fields of the body count.
  if (owner === 'CloneRequest')
    return { description: 'Accepted and ignored, so that a whole record can be sent.' }
  return FIELDS[field] ?? {}
}

/** Keys of the field table, for the test that none is left over. */
export const FIELD_KEYS: readonly string[] = Object.keys(FIELDS)

/**
 * Whether a body has the field in this service version. Ids can be repeated in an update in any version, so their gate
 * takes no field away. Spec 9.1.
 */
export function isFieldOf(
  owner: string,
  field: string,
  { io, profile }: { readonly io: 'input' | 'output'; readonly profile: ServiceProfile },
): boolean {
  if (io === 'output') return true
  if (owner === 'RoleRequest' && field === 'NodeIdentities') return profile.has('token.nodeIdentities')
  if (owner !== 'TokenRequest' && owner !== 'CloneRequest') return true
  const gate = Object.entries(TOKEN_FIELD_GATES).find(([gated]) => gated === field)?.[1]
  return gate === undefined || gate === 'token.settableIds' || profile.has(gate)
}
