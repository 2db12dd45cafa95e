/**
 * The version gates: what each version of the service added, changed or removed. Spec 7, 8, 9. The profile
 * (profile.ts), the list of changes, docs/version-gates.md and the migrator derive from this table.
 *
 * A gate is open from `since` (inclusive; absent: from the start) to `until` (exclusive; absent: never closed). If the
 * spec describes a feature without a version, the feature is as old as its API, regardless of the reference service's
 * history: SecretID in lists and `expanded` date from 1.4.0, like the token API.
 */

export type GateKind = 'field' | 'endpoint' | 'behaviour' | 'limit'

/** Whose version decides in a mixed cluster: the agent that receives the request, the server behind it, or both. */
export type GateDecider = 'agent' | 'server' | 'both'

export interface VersionGate {
  readonly kind: GateKind
  /** First version in which the gate is open. */
  readonly since?: string
  /** First version in which the gate is closed again. */
  readonly until?: string
  /** Section of the spec, and the row of its table if it has one. */
  readonly specRow: string
  /** The behaviour before and after, in one sentence. */
  readonly sentence: string
  /** What a client sees on the wire. */
  readonly clientSees: string
  /** Whether opening or closing the gate can break a correct client. */
  readonly breaksClients: boolean
  readonly decidedBy: GateDecider
}

const TABLE = {
  // Spec 9.1: the ACL APIs.
  'api.token': {
    kind: 'endpoint',
    since: '1.4.0',
    specRow: '9.1 (1.4.0)',
    sentence: 'Before 1.4.0 only the legacy ACL API manages tokens; since then the token API exists.',
    clientSees: '/v1/acl/token and /v1/acl/tokens answer 404 before, and work from 1.4.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'api.policy': {
    kind: 'endpoint',
    since: '1.4.0',
    specRow: '9.1 (1.4.0)',
    sentence:
      'Before 1.4.0 rules are part of the token; since then policies are separate records, which tokens link.',
    clientSees: '/v1/acl/policy and /v1/acl/policies answer 404 before, and work from 1.4.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'api.role': {
    kind: 'endpoint',
    since: '1.5.0',
    specRow: '9.1 (1.5.0)',
    sentence: 'Before 1.5.0 there are no roles; since then a role bundles policies, and tokens link it.',
    clientSees: '/v1/acl/role and /v1/acl/roles answer 404 before, and work from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'api.legacy': {
    kind: 'endpoint',
    until: '1.11',
    specRow: '9.1 (1.11)',
    sentence:
      'Before 1.11 the legacy ACL API works alongside the token API; since then every legacy endpoint is gone.',
    clientSees:
      'The legacy endpoints, including /v1/acl/rules/translate, answer 410 from 1.11, regardless of the token.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'api.legacyTokenRules': {
    kind: 'endpoint',
    since: '1.4.0',
    until: '1.11',
    specRow: '9.1 (1.11); 9.2.3',
    sentence:
      'Before 1.4.0 no token has an accessor; since then, until 1.11, the rules of a stored token can be translated by its accessor.',
    clientSees: 'GET /v1/acl/rules/translate/:AccessorID answers 404 before 1.4.0, and 410 from 1.11.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  // Spec 2 and 9.1: the fields of a token.
  'token.settableIds': {
    kind: 'field',
    since: '1.5.0',
    specRow: '2.1; 9.1 (1.5.0)',
    sentence: 'Before 1.5.0 the service chooses AccessorID and SecretID; since then a create may give them.',
    clientSees:
      'Ids given on create are ignored before, and used (or refused, when bad or taken) from 1.5.0.',
    breaksClients: true,
    decidedBy: 'both',
  },
  'token.roles': {
    kind: 'field',
    since: '1.5.0',
    specRow: '2.1; 9.1 (1.5.0)',
    sentence: 'Before 1.5.0 Roles is an unknown field; since then a token links roles.',
    clientSees: 'Roles is silently ignored before, and gives rights from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'token.serviceIdentities': {
    kind: 'field',
    since: '1.5.0',
    specRow: '2.1; 9.1 (1.5.0)',
    sentence:
      'Before 1.5.0 ServiceIdentities is an unknown field; since then a token carries service identities.',
    clientSees: 'ServiceIdentities is silently ignored before, and gives rights from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'token.nodeIdentities': {
    kind: 'field',
    since: '1.8.1',
    specRow: '2.1; 9.1 (1.8.1)',
    sentence: 'Before 1.8.1 NodeIdentities is an unknown field; since then a token carries node identities.',
    clientSees:
      'NodeIdentities is ignored before 1.7.0, refused with 400 in 1.7.0 to 1.8.0, and gives rights from 1.8.1.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'token.expirationTime': {
    kind: 'field',
    since: '1.5.0',
    specRow: '2.1; 9.1 (1.5.0)',
    sentence:
      'Before 1.5.0 tokens live until they are deleted; since then ExpirationTime ends them at an instant.',
    clientSees: 'ExpirationTime is ignored before, and the token lives on; it is stored from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'token.expirationTtl': {
    kind: 'field',
    since: '1.5.0',
    specRow: '2.1; 9.1 (1.5.0)',
    sentence:
      'Before 1.5.0 ExpirationTTL is an unknown field; since then ExpirationTime becomes CreateTime plus it.',
    clientSees: 'ExpirationTTL is ignored before, and the token lives on; it is applied from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  // Spec 2.1 names auth methods; their API follows decisions: auth methods.
  'api.authMethod': {
    kind: 'endpoint',
    since: '1.5.0',
    specRow: '2.1 (AuthMethod); decisions: auth methods',
    sentence:
      'Before 1.5.0 tokens are created manually; since then auth methods and binding rules also create them from logins.',
    clientSees:
      '/v1/acl/auth-method, /binding-rule, /login and /logout answer 404 before, and work from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'api.oidc': {
    kind: 'endpoint',
    since: '1.8.0',
    specRow: '2.1 (AuthMethod); decisions: auth methods',
    sentence:
      'Before 1.8.0 a login needs a credential; since then people can also log in through a browser (extended edition).',
    clientSees: '/v1/acl/oidc/auth-url and /v1/acl/oidc/callback answer 404 before, and work from 1.8.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'api.replicationToken': {
    kind: 'endpoint',
    since: '1.4.3',
    specRow: '9.4; decisions: replication token',
    sentence:
      'Before 1.4.3 only a setting holds the replication token; since then a request may replace it at run time.',
    clientSees: 'PUT /v1/agent/token/replication answers 404 before, and works from 1.4.3.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'replication.detail': {
    kind: 'field',
    since: '1.11',
    specRow: '9.4; decisions: replication token',
    sentence:
      'Before 1.11 the replication status says when a round failed; since then also why, together with state and lag.',
    clientSees:
      'GET /v1/acl/replication has LastErrorMessage, Cluster, PrimaryIndex, LagIndex, LagSeconds, State and Skipped from 1.11.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'login.namesMethod': {
    kind: 'behaviour',
    since: '1.9.6',
    specRow: '2.1 (AuthMethod); decisions: login',
    sentence:
      'Before 1.9.6 a login at an unknown auth method answers only `ACL not found`; since then the name follows.',
    clientSees: 'The text of the 403 ends in `: auth method "x" not found` from 1.9.6.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'authMethod.jwt': {
    kind: 'behaviour',
    since: '1.8.0',
    specRow: '2.1 (AuthMethod); decisions: auth methods',
    sentence:
      'Before 1.8.0 kubernetes is the only type of auth method; since then there are also jwt and (extended edition) oidc.',
    clientSees: 'Type jwt is refused with 400 before, and works from 1.8.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'authMethod.displayName': {
    kind: 'field',
    since: '1.8.0',
    specRow: '2.1 (AuthMethod); decisions: auth methods',
    sentence: 'Before 1.8.0 DisplayName is an unknown field; since then an auth method has a display name.',
    clientSees: 'DisplayName is ignored before 1.7.0, refused in 1.7.0 to 1.7.x, and kept from 1.8.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'authMethod.maxTokenTtl': {
    kind: 'field',
    since: '1.8.0',
    specRow: '2.1 (AuthMethod); decisions: auth methods',
    sentence:
      'Before 1.8.0 login tokens live until logout; since then MaxTokenTTL of the auth method limits their lifetime.',
    clientSees: 'MaxTokenTTL is ignored before 1.7.0, refused in 1.7.0 to 1.7.x, and kept from 1.8.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'authMethod.tokenLocality': {
    kind: 'field',
    since: '1.8.0',
    specRow: '2.1 (AuthMethod); decisions: auth methods',
    sentence: 'Before 1.8.0 login tokens are local; since then TokenLocality may make them global.',
    clientSees: 'TokenLocality is ignored before 1.7.0, refused in 1.7.0 to 1.7.x, and kept from 1.8.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'authMethod.namespaceRules': {
    kind: 'field',
    since: '1.8.0',
    specRow: '2.1 (AuthMethod); decisions: auth methods',
    sentence:
      'Before 1.8.0 login tokens are in the namespace of their method; since then NamespaceRules may choose another one.',
    clientSees: 'NamespaceRules is refused before, and kept from 1.8.0 (extended edition).',
    breaksClients: false,
    decidedBy: 'both',
  },
  'authMethod.mapNamespaces': {
    kind: 'field',
    since: '1.7.0',
    specRow: '2.1 (AuthMethod); decisions: auth methods',
    sentence:
      'Before 1.7.0 MapNamespaces, ConsulNamespacePrefix and ConsulNamespaceOverrides are unknown keys of Config; since then they choose namespaces (extended edition).',
    clientSees:
      'A Config with one of them is refused before, and from 1.7.0 puts tokens into other namespaces.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'authMethod.acrValues': {
    kind: 'field',
    since: '1.11',
    specRow: '2.1 (AuthMethod); decisions: auth methods',
    sentence:
      'Before 1.11.0 OIDCACRValues is an unknown key of Config; since then a login requests a level of authentication.',
    clientSees: 'OIDCACRValues is refused before, and sent to the provider from 1.11.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'authMethod.listedLifetime': {
    kind: 'behaviour',
    since: '1.10',
    specRow: '2.1 (AuthMethod); decisions: auth methods',
    sentence:
      'Before 1.10.0 the list of auth methods lacks MaxTokenTTL and TokenLocality; since then elements contain them.',
    clientSees: 'Elements of GET /v1/acl/auth-methods carry MaxTokenTTL and TokenLocality from 1.10.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'bindingRule.node': {
    kind: 'behaviour',
    since: '1.8.1',
    specRow: '2.5; decisions: auth methods',
    sentence: 'Before 1.8.1 a binding rule binds services and roles; since then also nodes.',
    clientSees: 'BindType node is refused with 400 before, and gives a node identity from 1.8.1.',
    breaksClients: false,
    decidedBy: 'server',
  },
  // Spec 4 gives these no version: they are as old as the token API.
  'token.expanded': {
    kind: 'behaviour',
    since: '1.4.0',
    specRow: '4.3',
    sentence:
      'The spec gives `expanded` no version, so it is as old as the token API: a read adds policies and roles in full.',
    clientSees: 'GET /v1/acl/token/:AccessorID?expanded carries ExpandedPolicies and ExpandedRoles.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'list.secretId': {
    kind: 'field',
    since: '1.4.0',
    specRow: '4.8',
    sentence:
      'The spec gives SecretID in lists no version, so it is as old as the token API: real for acl:write, otherwise redacted.',
    clientSees: 'Every element of GET /v1/acl/tokens carries SecretID.',
    breaksClients: false,
    decidedBy: 'server',
  },
  // Spec 8: limits.
  'limit.expirationTime': {
    kind: 'limit',
    since: '1.5.0',
    specRow: '8; 4.2.1',
    sentence:
      'Before 1.5.0 there is no expiration; since then ExpirationTime must be 1 minute to 24 hours in the future on create.',
    clientSees: 'An ExpirationTime out of bounds is refused with 400.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'limit.expirationTtl': {
    kind: 'limit',
    since: '1.5.0',
    specRow: '8; 4.2.2',
    sentence:
      'Before 1.5.0 there is no expiration; since then ExpirationTTL is at least 1 minute and at most 24 hours.',
    clientSees: 'An ExpirationTTL out of bounds is refused with 400.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'limit.serviceName': {
    kind: 'limit',
    since: '1.5.0',
    specRow: '8; 2.4',
    sentence:
      'Before 1.5.0 there are no service identities; since then a ServiceName has at most 256 characters.',
    clientSees: 'A longer ServiceName is refused with 400.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'limit.nodeName': {
    kind: 'limit',
    since: '1.8.1',
    specRow: '8; 2.5',
    sentence: 'Before 1.8.1 there are no node identities; since then a NodeName has at most 256 characters.',
    clientSees: 'A longer NodeName is refused with 400.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'http.connectionLimit100': {
    kind: 'limit',
    since: '1.6.3',
    until: '1.7.1',
    specRow: '8',
    sentence:
      'Before 1.6.3 connections are not limited; in 1.6.3 to 1.7.0 a client address may hold 100 by default.',
    clientSees: 'The 101st connection from one address is accepted and closed without a byte.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'http.connectionLimit200': {
    kind: 'limit',
    since: '1.7.1',
    specRow: '8',
    sentence:
      'Before 1.7.1 the default is 100 connections (no limit before 1.6.3); since then a client address may hold 200.',
    clientSees:
      'The 201st connection from one address is closed: without a byte before 1.9.0, with a 429 from 1.9.0 on.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'http.connectionLimit429': {
    kind: 'behaviour',
    since: '1.9.0',
    specRow: '8; decisions: status codes',
    sentence:
      'Before 1.9.0 a connection over the limit is closed without an answer; since then the client first gets a 429.',
    clientSees: 'HTTP 429 and `Connection: close` instead of an end of file or a reset.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'upgrade.accessorMigration': {
    kind: 'limit',
    since: '1.4.0',
    specRow: '8; 9.2.3',
    sentence:
      'Before 1.4.0 tokens have no accessor; since then legacy tokens get one, in batches of 128, at most one batch a second.',
    clientSees: 'Until its turn a legacy token shows `"AccessorID": ""`; N tokens take ceil(N/128) batches.',
    breaksClients: false,
    decidedBy: 'server',
  },
  // Spec 9.2: the upgrade to 1.4.0.
  'upgrade.legacyMode': {
    kind: 'behaviour',
    since: '1.4.0',
    specRow: '7; 9.2.1; 9.2.2',
    sentence:
      'Before 1.4.0 there is one ACL system; since then a server starts in legacy mode until all servers support the new system.',
    clientSees:
      'In legacy mode bootstrap and the new ACL APIs answer `The ACL system is currently in legacy mode.`',
    breaksClients: true,
    decidedBy: 'server',
  },
  'upgrade.legacyRules': {
    kind: 'behaviour',
    until: '1.11',
    specRow: '9.2.4; decisions: upgrade',
    sentence:
      'Before 1.11 the rules and the type of an unconverted legacy token give rights; since then only its links do.',
    clientSees:
      'An unconverted token still authenticates at 1.11, but loses every right that came only from its rules or type.',
    breaksClients: true,
    decidedBy: 'server',
  },
  'upgrade.noDowngrade': {
    kind: 'behaviour',
    since: '1.4.0',
    specRow: '9.2.5',
    sentence:
      'Before the upgrade to 1.4.0 is complete a server may go back; once it is, older servers refuse the data.',
    clientSees: 'A server older than 1.4.0 does not start on data whose upgrade is complete.',
    breaksClients: false,
    decidedBy: 'server',
  },
  // Spec 9.3 and 9.4: the HTTP API.
  'http.translateAddressesHeader': {
    kind: 'behaviour',
    since: '0.7',
    specRow: '9.3 (0.7)',
    sentence:
      'Before 0.7 no header says whether addresses are translated; since then X-Service-Translate-Addresses does.',
    clientSees:
      '`X-Service-Translate-Addresses: true` on every answer while translation is on; no header while it is off.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'http.effectiveConsistency': {
    kind: 'behaviour',
    since: '1.0.7',
    specRow: '4.1; decisions: read headers',
    sentence:
      'Before 1.0.7 no header says how fresh a catalog or health read is; since then X-Service-Effective-Consistency does.',
    clientSees: '`X-Service-Effective-Consistency`: `leader`, `consistent` or `stale`.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'http.queryBackend': {
    kind: 'behaviour',
    since: '1.10',
    specRow: '4.1; decisions: read headers',
    sentence:
      'Before 1.10 no header says what answered a blocking query; since then X-Service-Query-Backend does.',
    clientSees: '`X-Service-Query-Backend: blocking-query` on answers to blocking queries.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'http.resultsFiltered': {
    kind: 'behaviour',
    since: '1.11',
    specRow: '5.4; 7; decisions: read headers',
    sentence:
      'Before 1.11 no header says that rows were omitted because of missing rights; since then X-Service-Results-Filtered-By-ACLs does.',
    clientSees:
      '`X-Service-Results-Filtered-By-ACLs: true` where a caller with a token may not read all rows of an answer.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'query.filter': {
    kind: 'behaviour',
    since: '1.5.0',
    specRow: '9.4; decisions: filters',
    sentence:
      'Before 1.5.0 `filter` is an unknown option, which is ignored; since then it selects nodes, services and checks.',
    clientSees: 'Lists of the catalog, of health and of the agent are whole before, and filtered from 1.5.0.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'query.filterWords': {
    kind: 'behaviour',
    since: '1.6.0',
    specRow: '9.4; decisions: filters',
    sentence: 'Before 1.6.0 filters have no `contains` and no `matches`; since then they do.',
    clientSees: 'A filter with `contains` or `matches` is refused with 400 before, and selects from 1.6.0.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'intentions.filter': {
    kind: 'behaviour',
    since: '1.8.0',
    specRow: '9.5; decisions: filters',
    sentence:
      'Before 1.8.0 `filter` of the intentions list is an unknown option, which is ignored; since then it selects.',
    clientSees: 'The intentions list is whole before, and filtered from 1.8.0.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'catalog.lanTaggedAddress': {
    kind: 'field',
    since: '0.7',
    specRow: '9.3 (0.7)',
    sentence: 'Before 0.7 TaggedAddresses contains only "wan"; since then also "lan".',
    clientSees: 'Node records carry a "lan" tag in TaggedAddresses.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'http.enforceMethods': {
    kind: 'behaviour',
    since: '1.0',
    specRow: '9.3 (1.0); 9.4',
    sentence: 'Before 1.0 the endpoints of spec 9.4 serve any method; since then they enforce one.',
    clientSees:
      'A wrong method, which was served as if it were right, answers 405 with `Allow` from 1.0; so does HEAD.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'kv.forbidden403': {
    kind: 'behaviour',
    since: '1.0',
    specRow: '5.4; 7; 9.3 (1.0)',
    sentence: 'Before 1.0 a key-value read with an unauthorized token answers 404; since then 403.',
    clientSees:
      'One key, existing or not: 404 before, 403 `Permission denied` from 1.0; recursive reads stay 404.',
    breaksClients: true,
    decidedBy: 'server',
  },
  'agent.reducedSelf': {
    kind: 'behaviour',
    since: '1.0',
    specRow: '9.3 (1.0)',
    sentence:
      'Before 1.0 Config in agent/self is the whole configuration; since then Config is reduced and DebugConfig contains the rest.',
    clientSees:
      'Config has a handful of keys from 1.0; the full structure is under DebugConfig and may change with any release.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'health.passingParsed': {
    kind: 'behaviour',
    since: '0.8.5',
    specRow: '9.4; decisions: agent',
    sentence: 'Before 0.8.5 any value of `passing` means yes; since then it is read as a boolean.',
    clientSees:
      '`passing=false` shows all instances from 0.8.5, and a word that is no boolean is refused with 400.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'catalog.severalTags': {
    kind: 'behaviour',
    since: '1.3.0',
    specRow: '9.4; decisions: agent',
    sentence: 'Before 1.3.0 only the first `tag` is used; since then an instance must have all tags.',
    clientSees: '`tag=a&tag=b` returns fewer instances from 1.3.0.',
    breaksClients: true,
    decidedBy: 'server',
  },
  'health.ingress': {
    kind: 'endpoint',
    since: '1.8.0',
    specRow: '9.4; decisions: agent',
    sentence:
      'Before 1.8.0 there are no ingress gateways; since then health lists the gateways of a service.',
    clientSees: '/v1/health/ingress answers 404 before, and works from 1.8.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'agent.removesUnknown': {
    kind: 'behaviour',
    until: '1.11',
    specRow: '9.4; decisions: agent',
    sentence:
      'Before 1.11 an agent with ACLs off deregisters services and checks that it does not have; since then it refuses.',
    clientSees:
      'PUT /v1/agent/service/deregister and /v1/agent/check/deregister answer 200 for an unknown ID before, with ACLs off, and 404 from 1.11.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'agent.readService': {
    kind: 'endpoint',
    since: '1.3.0',
    specRow: '9.4; decisions: agent',
    sentence:
      'Before 1.3.0 an agent only lists its services; since then it also returns a single service, with a hash.',
    clientSees: 'GET /v1/agent/service/:ServiceID answers 404 before, and works from 1.3.0.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'agent.localHealth': {
    kind: 'endpoint',
    since: '1.4.1',
    specRow: '9.4; decisions: agent',
    sentence:
      'Before 1.4.1 an agent does not aggregate checks; since then it reports the health of its services.',
    clientSees: '/v1/agent/health/service answers 404 before, and works from 1.4.1.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'txn.catalog': {
    kind: 'field',
    since: '1.4.1',
    specRow: '9.3; decisions: transactions',
    sentence:
      'Before 1.4.1 transactions contain only operations on keys; since then also on nodes, services and checks.',
    clientSees:
      'Node, Service and Check are ignored in the operations of /v1/txn before, and applied from 1.4.1.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'http.allowListsOptions': {
    kind: 'behaviour',
    since: '1.0.7',
    specRow: '9.4',
    sentence:
      'Before 1.0.7 OPTIONS is a wrong method (any method is served before 1.0); since then OPTIONS is answered.',
    clientSees: 'OPTIONS answers 200 with an empty body, and `Allow` reads `OPTIONS,GET` instead of `GET`.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'catalog.serviceIndex': {
    kind: 'behaviour',
    since: '1.0.7',
    specRow: '9.3 (1.0.7)',
    sentence:
      "Before 1.0.7 X-Service-Index of one service's health and catalog covers all services; since then only that service.",
    clientSees:
      'During an upgrade from 1.0.6 or lower the index can decrease; a watcher that keeps the old index misses changes.',
    breaksClients: true,
    decidedBy: 'server',
  },
  'catalog.extinctionIndex': {
    kind: 'behaviour',
    since: '1.4.1',
    specRow: '9.3 (1.0.7); decisions: catalog',
    sentence:
      'Before 1.4.1 a service without instances has the index of all services; since then the index at which a service last lost its last instance.',
    clientSees: 'A blocking query for an absent service wakes less often from 1.4.1.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.nodeId': {
    kind: 'field',
    since: '0.7.3',
    specRow: '9.4; decisions: catalog records',
    sentence: 'Before 0.7.3 a node has a name and addresses; since then it also has an ID and Meta.',
    clientSees:
      'ID and Meta (NodeMeta) of nodes appear in answers from 0.7.3, and `node-meta` selects by them.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.nodeDatacenter': {
    kind: 'field',
    since: '0.8.2',
    specRow: '9.4; decisions: catalog records',
    sentence: 'Before 0.8.2 a node record lacks the datacenter; since then it has one.',
    clientSees: 'Datacenter of nodes appears in answers from 0.8.2.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.nodeServices': {
    kind: 'endpoint',
    since: '1.7.0',
    specRow: '9.4; decisions: catalog',
    sentence:
      'Before 1.7.0 the services of a node are a map by ID; since then they are also available as a list.',
    clientSees: '/v1/catalog/node-services answers 404 before, and works from 1.7.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.gatewayServices': {
    kind: 'endpoint',
    since: '1.8.0',
    specRow: '9.4; decisions: catalog',
    sentence: 'Before 1.8.0 there are no gateways; since then their services are listed.',
    clientSees: '/v1/catalog/gateway-services answers 404 before, and works from 1.8.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.checkDefinition': {
    kind: 'field',
    since: '1.0.1',
    specRow: '9.4; decisions: catalog records',
    sentence: 'Before 1.0.1 a check does not show how it is run; since then Definition does.',
    clientSees: 'Definition of checks appears in answers from 1.0.1.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.serviceMeta': {
    kind: 'field',
    since: '1.0.7',
    specRow: '9.4; decisions: catalog records',
    sentence: 'Before 1.0.7 services have no metadata; since then they have Meta.',
    clientSees: 'Meta (ServiceMeta) of services appears in answers from 1.0.7.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.connect': {
    kind: 'field',
    since: '1.2.0',
    specRow: '9.4; decisions: catalog records',
    sentence:
      'Before 1.2.0 all services are of one kind; since then Kind, Proxy and Connect distinguish proxies.',
    clientSees:
      'Kind, Proxy and Connect of services appear in answers from 1.2.0, as do the endpoints of connect.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.serviceWeights': {
    kind: 'field',
    since: '1.2.3',
    specRow: '9.4; decisions: catalog records',
    sentence: 'Before 1.2.3 all instances have the same weight; since then Weights sets it.',
    clientSees: 'Weights of services appear in answers from 1.2.3.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.serviceTaggedAddresses': {
    kind: 'field',
    since: '1.6.0',
    specRow: '9.4; decisions: catalog records',
    sentence: 'Before 1.6.0 a service has one address; since then also TaggedAddresses.',
    clientSees: 'TaggedAddresses of services appear in answers from 1.6.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.checkType': {
    kind: 'field',
    since: '1.6.2',
    specRow: '9.4; decisions: catalog records',
    sentence: 'Before 1.6.2 a check does not show its type; since then Type does.',
    clientSees: 'Type of checks appears in answers from 1.6.2.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.checkTimes': {
    kind: 'field',
    since: '1.10.0',
    specRow: '9.4; decisions: catalog records',
    sentence: 'Before 1.10.0 a check does not show its times; since then Interval and Timeout do.',
    clientSees: 'Interval and Timeout of checks appear in answers from 1.10.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.socketPath': {
    kind: 'field',
    since: '1.10.0',
    specRow: '9.4; decisions: catalog records',
    sentence: 'Before 1.10.0 a service listens on a port; since then SocketPath may name a socket.',
    clientSees: 'SocketPath of services appears in answers from 1.10.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.checkExposedPort': {
    kind: 'field',
    since: '1.10.2',
    specRow: '9.4; decisions: catalog records',
    sentence:
      'Before 1.10.2 a check does not show the port that a proxy exposes for it; since then ExposedPort does.',
    clientSees: 'ExposedPort of checks appears in answers from 1.10.2.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'health.meshSummary': {
    kind: 'field',
    since: '1.11',
    specRow: '9.4; decisions: catalog records',
    sentence:
      'Before 1.11 the summary of a service counts instances and checks; since then it also has the datacenter and how the service is connected.',
    clientSees:
      'Datacenter, ConnectedWithProxy and ConnectedWithGateway of /v1/internal/ui/services appear from 1.11.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'catalog.tagFilterIgnored': {
    kind: 'behaviour',
    since: '1.3.0',
    until: '1.3.1',
    specRow: '9.3 (1.3.0)',
    sentence:
      'In 1.3.0 servers ignore the tag filter of catalog service queries from clients of 1.2.3 or earlier; 1.3.1 fixes it.',
    clientSees:
      '/v1/catalog/service/:service?tag= through an old client lists every instance while servers run 1.3.0.',
    breaksClients: true,
    decidedBy: 'both',
  },
  'body.refuseUnknownFields': {
    kind: 'behaviour',
    since: '1.7.0',
    specRow: '7; 9.3 (1.7.0)',
    sentence: 'Before 1.7.0 unknown fields of a payload are ignored; since then they are refused.',
    clientSees: 'HTTP 400 with a text that names the field, where the request was served before.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'session.checkLists': {
    kind: 'field',
    since: '1.7.0',
    specRow: '9.3 (1.7.0)',
    sentence: 'Before 1.7.0 a session has one list, Checks; since then NodeChecks and ServiceChecks.',
    clientSees: 'Sessions show NodeChecks and ServiceChecks instead of Checks.',
    breaksClients: true,
    decidedBy: 'server',
  },
  'session.incompatibleQueries': {
    kind: 'behaviour',
    since: '1.7.0',
    until: '1.7.2',
    specRow: '9.3 (1.7.0)',
    sentence:
      'In 1.7.0 and 1.7.1 session view and renew queries from agents of earlier versions are rejected; 1.7.2 fixes it.',
    clientSees:
      'Session info and renew fail between agents and servers of both sides of 1.7.0, and locks can be lost.',
    breaksClients: true,
    decidedBy: 'both',
  },
  'dns.ptrCanonicalName': {
    kind: 'behaviour',
    since: '1.7.0',
    specRow: '9.3 (1.7.0)',
    sentence:
      'Before 1.7.0 a PTR answer contains only the service name; since then the canonical name with the datacenter (and the namespace).',
    clientSees: '`web.service.consul.` becomes `web.service.dc1.consul.`',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'dns.edns': {
    kind: 'behaviour',
    since: '0.8.5',
    specRow: '9.3; decisions: dns',
    sentence:
      'Before 0.8.5 DNS answers over UDP have at most 512 bytes; since then a client may announce (EDNS) that it accepts more.',
    clientSees: 'An answer to a question with an OPT record also has one, and may be longer.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'dns.nsRecords': {
    kind: 'behaviour',
    since: '0.9.1',
    specRow: '9.3; decisions: dns',
    sentence: 'Before 0.9.1 DNS names no servers of its domain; since then NS questions are answered.',
    clientSees: 'NS answers, and the authority section of SOA answers, list up to three servers.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'dns.nodeText': {
    kind: 'behaviour',
    since: '1.0',
    specRow: '9.3; decisions: dns',
    sentence: 'Before 1.0 the metadata of nodes is not in DNS; since then it is available as TXT records.',
    clientSees: 'TXT answers for nodes, and TXT records next to addresses.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'dns.extraLabels': {
    kind: 'behaviour',
    since: '1.0.1',
    specRow: '9.3; decisions: dns',
    sentence:
      'Before 1.0.1 DNS ignores further labels after the datacenter; since then such names do not exist.',
    clientSees: 'web.service.dc1.x.consul answers NXDOMAIN.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'dns.servicePtr': {
    kind: 'behaviour',
    since: '1.2.0',
    specRow: '9.3; decisions: dns',
    sentence:
      'Before 1.2.0 a PTR query finds only nodes; since then it also finds services by their own addresses.',
    clientSees: 'A PTR answer for the address of a service.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'dns.weights': {
    kind: 'behaviour',
    since: '1.2.3',
    specRow: '9.3; decisions: dns',
    sentence: 'Before 1.2.3 the weight in an SRV answer is 1; since then it is the Weights of the service.',
    clientSees: 'SRV answers with weights other than 1.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'dns.unknownDatacenter': {
    kind: 'behaviour',
    since: '1.8.1',
    specRow: '9.3; decisions: dns',
    sentence: 'Before 1.8.1 DNS fails for an unknown datacenter; since then names in it do not exist.',
    clientSees: 'NXDOMAIN instead of SERVFAIL.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'dns.nodeNoData': {
    kind: 'behaviour',
    since: '1.11',
    specRow: '9.3; decisions: dns',
    sentence:
      'Before 1.11 DNS answers SRV, MX and similar questions about a node with an empty message; since then with an SOA record.',
    clientSees: 'The authority section contains the SOA record of the domain.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  // Spec 9.3 and 9.5: intentions.
  'intentions.listByNamespace': {
    kind: 'behaviour',
    since: '1.9.0',
    specRow: '9.3 (1.9.0)',
    sentence:
      'Before 1.9.0 the intentions list shows every namespace; since then only the given namespace, or all with ns=*.',
    clientSees:
      'A list without ns or X-Service-Namespace shows only the default namespace (extended edition).',
    breaksClients: true,
    decidedBy: 'both',
  },
  'intentions.configEntries': {
    kind: 'behaviour',
    since: '1.9.0',
    specRow: '9.5.1',
    sentence:
      'Before 1.9.0 intentions are separate records; since then a migration turns them into service-intentions config entries.',
    clientSees:
      'Reads never change; the migration waits until every server of the primary datacenter runs 1.9.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'intentions.conditionalDelete': {
    kind: 'behaviour',
    since: '1.11',
    specRow: '9.5; decisions: intentions',
    sentence:
      'Before 1.11 cas has no effect on the delete of a config entry; since then only an entry with this ModifyIndex is deleted.',
    clientSees:
      'DELETE /v1/config/service-intentions/:Name?cas= deletes the entry unconditionally before, and answers true or false from 1.11.',
    breaksClients: true,
    decidedBy: 'both',
  },
  'intentions.readOnlyWhileMigrating': {
    kind: 'behaviour',
    since: '1.9.0',
    specRow: '9.5.2',
    sentence:
      'Before 1.9.0 intentions can always be written; since then they are read-only until their migration is complete.',
    clientSees:
      'Writes of intentions and service-intentions entries fail once a 1.9.0 server first leads the primary.',
    breaksClients: true,
    decidedBy: 'server',
  },
  'intentions.legacyFields': {
    kind: 'field',
    since: '1.9.0',
    specRow: '9.5.3',
    sentence:
      'Before 1.9.0 an intention keeps ID, CreatedAt, UpdatedAt and Meta; since then an edit through config entries moves them to legacy fields.',
    clientSees:
      'After such an edit the ID-based endpoints no longer find the intention; Meta must be cleared manually.',
    breaksClients: true,
    decidedBy: 'server',
  },
} as const satisfies Record<string, VersionGate>

export type GateName = keyof typeof TABLE

/** Every gate, by name, in the order of the spec. */
export const GATES: Readonly<Record<GateName, VersionGate>> = TABLE

export const GATE_NAMES = Object.keys(TABLE) as readonly GateName[]
