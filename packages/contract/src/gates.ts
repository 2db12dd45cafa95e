/**
 * The version gates: which version of the service added, changed or removed what. Spec 9, with 7 and 8. One table as
 * data; the profile (profile.ts), the list of changes, the page docs/version-gates.md and the migrator all read it.
 *
 * A gate is open in the versions from `since` (the first that has it; absent: always) up to and without `until`
 * (absent: for good). What the spec gives without a version is not gated beyond the API that it belongs to, whatever
 * the reference service once did: SecretID in lists and `expanded` are here since 1.4.0, as the token API is.
 */

/** What a gate is about: a field of a body, a path, how something behaves, or a number. */
export type GateKind = 'field' | 'endpoint' | 'behaviour' | 'limit'

/** Whose version counts where versions are mixed: the agent that takes the request, the server behind it, or both. */
export type GateDecider = 'agent' | 'server' | 'both'

export interface VersionGate {
  readonly kind: GateKind
  /** First version with it. */
  readonly since?: string
  /** First version without it. */
  readonly until?: string
  /** Section of the spec, and the row of its table where it has one. */
  readonly specRow: string
  /** One sentence: before and after. */
  readonly sentence: string
  /** What a client sees on the wire as the versions pass. */
  readonly clientSees: string
  /** Whether a client that was right before can be refused, or misled, when the gate opens or closes. */
  readonly breaksClients: boolean
  readonly decidedBy: GateDecider
}

const TABLE = {
  // Spec 9.1: the ACL APIs.
  'api.token': {
    kind: 'endpoint',
    since: '1.4.0',
    specRow: '9.1 (1.4.0)',
    sentence:
      'Before 1.4.0 tokens are managed through the legacy ACL API alone; from it the token API exists.',
    clientSees: '/v1/acl/token and /v1/acl/tokens answer 404 before, and work from 1.4.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'api.policy': {
    kind: 'endpoint',
    since: '1.4.0',
    specRow: '9.1 (1.4.0)',
    sentence:
      'Before 1.4.0 rules are part of the token; from it policies are records of their own, which tokens link.',
    clientSees: '/v1/acl/policy and /v1/acl/policies answer 404 before, and work from 1.4.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'api.role': {
    kind: 'endpoint',
    since: '1.5.0',
    specRow: '9.1 (1.5.0)',
    sentence: 'Before 1.5.0 there are no roles; from it a role bundles policies, and tokens link it.',
    clientSees: '/v1/acl/role and /v1/acl/roles answer 404 before, and work from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'api.legacy': {
    kind: 'endpoint',
    until: '1.11',
    specRow: '9.1 (1.11)',
    sentence:
      'Before 1.11 the legacy ACL API works beside the token API; from it every legacy endpoint is gone.',
    clientSees:
      'The legacy endpoints, /v1/acl/rules/translate included, answer 410 from 1.11, whatever the token.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'api.legacyTokenRules': {
    kind: 'endpoint',
    since: '1.4.0',
    until: '1.11',
    specRow: '9.1 (1.11); 9.2.3',
    sentence:
      'Before 1.4.0 no token has an accessor; from it the rules of a stored token are translated by that, until 1.11.',
    clientSees: 'GET /v1/acl/rules/translate/:AccessorID answers 404 before 1.4.0, and 410 from 1.11.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  // Spec 2 and 9.1: the fields of a token.
  'token.settableIds': {
    kind: 'field',
    since: '1.5.0',
    specRow: '2.1; 9.1 (1.5.0)',
    sentence: 'Before 1.5.0 the service chooses AccessorID and SecretID; from it a create may give them.',
    clientSees:
      'Ids given on create are ignored before, and used (or refused, when bad or taken) from 1.5.0.',
    breaksClients: true,
    decidedBy: 'both',
  },
  'token.roles': {
    kind: 'field',
    since: '1.5.0',
    specRow: '2.1; 9.1 (1.5.0)',
    sentence: 'Before 1.5.0 Roles is an unknown field; from it a token links roles.',
    clientSees: 'Roles is ignored before, without a word, and gives rights from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'token.serviceIdentities': {
    kind: 'field',
    since: '1.5.0',
    specRow: '2.1; 9.1 (1.5.0)',
    sentence:
      'Before 1.5.0 ServiceIdentities is an unknown field; from it a token carries service identities.',
    clientSees: 'ServiceIdentities is ignored before, without a word, and gives rights from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'token.nodeIdentities': {
    kind: 'field',
    since: '1.8.1',
    specRow: '2.1; 9.1 (1.8.1)',
    sentence: 'Before 1.8.1 NodeIdentities is an unknown field; from it a token carries node identities.',
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
      'Before 1.5.0 tokens live until they are deleted; from it ExpirationTime ends them at an instant.',
    clientSees: 'ExpirationTime is ignored before, so that the token lives on, and is kept from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  'token.expirationTtl': {
    kind: 'field',
    since: '1.5.0',
    specRow: '2.1; 9.1 (1.5.0)',
    sentence:
      'Before 1.5.0 ExpirationTTL is an unknown field; from it ExpirationTime becomes CreateTime plus it.',
    clientSees: 'ExpirationTTL is ignored before, so that the token lives on, and is kept from 1.5.0.',
    breaksClients: false,
    decidedBy: 'both',
  },
  // Spec 4, without a version of their own: as old as the token API.
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
      'The spec gives SecretID in lists no version, so it is as old as the token API: real for acl:write, else redacted.',
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
      'Before 1.5.0 there is no expiration; from it ExpirationTime lies 1 minute to 24 hours in the future on create.',
    clientSees: 'An ExpirationTime out of bounds is refused with 400.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'limit.expirationTtl': {
    kind: 'limit',
    since: '1.5.0',
    specRow: '8; 4.2.2',
    sentence:
      'Before 1.5.0 there is no expiration; from it ExpirationTTL is at least 1 minute and at most 24 hours.',
    clientSees: 'An ExpirationTTL out of bounds is refused with 400.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'limit.serviceName': {
    kind: 'limit',
    since: '1.5.0',
    specRow: '8; 2.4',
    sentence:
      'Before 1.5.0 there are no service identities; from it a ServiceName has at most 256 characters.',
    clientSees: 'A longer ServiceName is refused with 400.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'limit.nodeName': {
    kind: 'limit',
    since: '1.8.1',
    specRow: '8; 2.5',
    sentence: 'Before 1.8.1 there are no node identities; from it a NodeName has at most 256 characters.',
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
      'Before 1.7.1 the default is 100 connections (no limit before 1.6.3); from it a client address may hold 200.',
    clientSees:
      'The 201st connection from one address is closed: without a byte before 1.9.0, with a 429 from it.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'http.connectionLimit429': {
    kind: 'behaviour',
    since: '1.9.0',
    specRow: '8; decisions: status codes',
    sentence:
      'Before 1.9.0 a connection over the limit is closed without an answer; from it the client first gets a 429.',
    clientSees: 'HTTP 429 and `Connection: close` instead of an end of file or a reset.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'upgrade.accessorMigration': {
    kind: 'limit',
    since: '1.4.0',
    specRow: '8; 9.2.3',
    sentence:
      'Before 1.4.0 tokens have no accessor; from it legacy tokens get one, 128 in a batch, one batch a second at most.',
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
      'Before 1.4.0 there is one ACL system; from it a server starts in legacy mode until all servers support the new one.',
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
      'Before 1.11 the rules and the type of a legacy token that was not converted count; from it only what it is linked to.',
    clientSees:
      'An unconverted token still authenticates at 1.11, and loses every right that its rules, or its type alone, gave.',
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
      'Before 0.7 nothing tells whether addresses are translated; from it X-Service-Translate-Addresses does.',
    clientSees:
      '`X-Service-Translate-Addresses: true` on every answer while translation is on; no header while it is off.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'catalog.lanTaggedAddress': {
    kind: 'field',
    since: '0.7',
    specRow: '9.3 (0.7)',
    sentence: 'Before 0.7 TaggedAddresses holds "wan" alone; from it "lan" too.',
    clientSees: 'Node records carry a "lan" tag in TaggedAddresses.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'http.enforceMethods': {
    kind: 'behaviour',
    since: '1.0',
    specRow: '9.3 (1.0); 9.4',
    sentence: 'Before 1.0 the endpoints of spec 9.4 serve any method; from it they enforce one.',
    clientSees:
      'A wrong method, which was served as if it were right, answers 405 with `Allow` from 1.0; so does HEAD.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'kv.forbidden403': {
    kind: 'behaviour',
    since: '1.0',
    specRow: '5.4; 7; 9.3 (1.0)',
    sentence: 'Before 1.0 a key-value read with an unauthorized token answers 404; from it 403.',
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
      'Before 1.0 Config of agent self is the whole configuration; from it Config is reduced and DebugConfig holds the rest.',
    clientSees:
      'Config has a handful of keys from 1.0; the full structure is under DebugConfig and may change with any release.',
    breaksClients: true,
    decidedBy: 'agent',
  },
  'http.allowListsOptions': {
    kind: 'behaviour',
    since: '1.0.7',
    specRow: '9.4',
    sentence:
      'Before 1.0.7 OPTIONS is a wrong method (any method is served before 1.0); from it OPTIONS is answered.',
    clientSees: 'OPTIONS answers 200 with an empty body, and `Allow` reads `OPTIONS,GET` instead of `GET`.',
    breaksClients: false,
    decidedBy: 'agent',
  },
  'catalog.serviceIndex': {
    kind: 'behaviour',
    since: '1.0.7',
    specRow: '9.3 (1.0.7)',
    sentence:
      "Before 1.0.7 X-Service-Index of one service's health and catalog is that of any service; from it that service's own.",
    clientSees:
      'During an upgrade from 1.0.6 or lower the index can decrease; a watcher that keeps the old one misses changes.',
    breaksClients: true,
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
    sentence: 'Before 1.7.0 unknown fields of a payload are ignored; from it they are refused.',
    clientSees: 'HTTP 400 with a text that names the field, where the request was served before.',
    breaksClients: true,
    decidedBy: 'agent',
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
      'Before 1.7.0 a PTR answer names the service alone; from it the canonical name with the datacenter (and the namespace).',
    clientSees: '`web.service.consul.` becomes `web.service.dc1.consul.`',
    breaksClients: true,
    decidedBy: 'agent',
  },
  // Spec 9.3 and 9.5: intentions.
  'intentions.listByNamespace': {
    kind: 'behaviour',
    since: '1.9.0',
    specRow: '9.3 (1.9.0)',
    sentence:
      'Before 1.9.0 the intentions list shows every namespace; from it the given one, and all with ns=*.',
    clientSees:
      'A list without ns or X-Service-Namespace shows the default namespace alone (extended edition).',
    breaksClients: true,
    decidedBy: 'both',
  },
  'intentions.configEntries': {
    kind: 'behaviour',
    since: '1.9.0',
    specRow: '9.5.1',
    sentence:
      'Before 1.9.0 intentions are records of their own; from it one migration turns them into service-intentions config entries.',
    clientSees:
      'Reads never change; the migration waits until every server of the primary datacenter runs 1.9.0.',
    breaksClients: false,
    decidedBy: 'server',
  },
  'intentions.readOnlyWhileMigrating': {
    kind: 'behaviour',
    since: '1.9.0',
    specRow: '9.5.2',
    sentence: 'Before 1.9.0 intentions can always be written; from it not until their migration is complete.',
    clientSees:
      'Writes of intentions and of service-intentions entries fail from the first 1.9.0 leader of the primary on.',
    breaksClients: true,
    decidedBy: 'server',
  },
  'intentions.legacyFields': {
    kind: 'field',
    since: '1.9.0',
    specRow: '9.5.3',
    sentence:
      'Before 1.9.0 an intention keeps ID, CreatedAt, UpdatedAt and Meta; from it an edit through config entries moves them to legacy fields.',
    clientSees:
      'After such an edit the ID-based endpoints no longer know the intention; Meta must be cleared by hand.',
    breaksClients: true,
    decidedBy: 'server',
  },
} as const satisfies Record<string, VersionGate>

/** The name of a gate: what code asks a profile for. */
export type GateName = keyof typeof TABLE

/** Every gate, by name, in the order of the spec. */
export const GATES: Readonly<Record<GateName, VersionGate>> = TABLE

/** The names, in the order of the table. */
export const GATE_NAMES = Object.keys(TABLE) as readonly GateName[]
