/**
 * The regular methods of the SDK: what the contract does not know about them. `resources.ts` generates a class for each
 * resource from this table and the contract.
 */
import type { RouteName } from '@latchkey/contract'

/** A method that makes one call. Texts are TypeScript. */
export interface MethodSpec {
  /** Default: the method's name in the contract's resource of the same name. */
  readonly endpoint?: RouteName
  /** Replaces the text of the contract. */
  readonly doc?: string
  /** What the contract does not say, because only clients need it. */
  readonly note?: string
  /** By parameter. */
  readonly params?: Readonly<Record<string, string>>
  readonly example?: string
  /** Default: `ReadOptions` for a blocking query, otherwise `CallOptions`. */
  readonly options?: string
  /** The options that only this method has: query options in camel case. */
  readonly own?: readonly string[]
  /** Default: the parameter `filter`, `names` or `range`, then {@link own}. */
  readonly query?: string
  /** Default: the remaining parameter with a type. Empty: none. */
  readonly body?: string
  /** The value of the path parameter. Default: the parameter without a type. */
  readonly path?: string
  /** Default: a delete `always`, an update `unlessPending`, other writes never. See `Call.repeatable`. */
  readonly retry?: 'always' | 'unlessPending' | 'never'
  /** More properties of the call. */
  readonly more?: string
  /** Set if the answer of this form of the call has another type than the endpoint's. */
  readonly answers?: 'string' | 'Uint8Array'
  /** The method that follows this read. That of `read` yields `undefined` while the record does not exist. */
  readonly watch?: string
  readonly watchDoc?: string
  readonly watchExample?: string
  /** Default: `WatchOptions`. */
  readonly watchOptions?: string
  /** Adds an iterator, named `each`. */
  readonly each?: true
}

export interface ResourceSpec {
  readonly doc: string
  /** Default: the name of the class in camel case. */
  readonly contract?: string
  /** By signature: path parameters have no type, and the options come last by themselves unless they are named. */
  readonly methods: Readonly<Record<string, MethodSpec>>
}

const unknownId = 'The service assigns the ID, so a create with an unknown outcome is not retried.'
const importing = {
  options: 'ImportOptions',
  query: '{ import: options.import === true ? true : undefined }',
  more: 'ownNames: { import: true }',
} as const
const agentCheck = (name: string): MethodSpec => ({
  endpoint: `agentChecks.${name}` as RouteName,
  query: '{ note }',
  retry: 'unlessPending',
})
const instances = { options: 'InstanceListOptions', more: '...ofInstances(options)' }
const filterOf = { options: "ReadOptions & Pick<CheckSelection, 'filter'>", own: ['filter'] }
const watchFilter = { watchOptions: "WatchOptions & Pick<CheckSelection, 'filter'>" }
const cas = {
  own: ['cas'],
  retry: 'never',
  more: "...(options.cas === undefined ? { repeatable: 'unlessPending' } : {})",
} as const
const lockWrite = (verb: 'acquire' | 'release'): MethodSpec => ({
  endpoint: 'kv.write',
  path: 'keyOf(key)',
  options: 'LockWriteOptions',
  query: `{ ${verb}: session, flags: options.flags }`,
  body: "options.value ?? ''",
  more: 'ownNames: { value: true, flags: true }',
})

/** By the name of the class. */
export const RESOURCES: Readonly<Record<string, ResourceSpec>> = {
  Calls: {
    doc: 'The regular calls of a client that belong to no resource.',
    methods: {
      'whoCan(check: WhoCanRequest): TokenReference[]': {
        endpoint: 'decisions.whoCan',
        doc: 'Lists the tokens that may do something: all of them, or one page if `limit` is given.',
        options: 'PageOptions',
        own: ['limit', 'cursor'],
      },
      'bootstrap(): BootstrapToken': {
        endpoint: 'tokens.bootstrap',
        doc: 'Creates the first management token. This works once per service. A bootstrap with an unknown outcome is not retried; if its secret was lost, operators can reset bootstrap.',
      },
    },
  },
  Oidc: {
    doc: 'Browser logins through an OpenID provider, in the extended edition. Decisions: login.',
    contract: 'login',
    methods: {
      'authUrl(options: AuthUrlOptions): AuthUrl': {
        doc: 'Begins a login, and returns the URL to which to send the browser. The URL is valid once, for ten minutes.',
        body: `{
    AuthMethod: options.method,
    RedirectURI: options.redirectUri,
    ClientNonce: options.clientNonce,
    Meta: options.meta,
  }`,
        // The login of an earlier attempt expires unused.
        retry: 'always',
        more: `secrets: [options.clientNonce],
  ownNames: { method: true, redirectUri: true, clientNonce: true, meta: true }`,
        example: `const clientNonce = crypto.randomUUID()
const { AuthURL } = await client.oidc.authUrl({ method: 'people', redirectUri, clientNonce })`,
      },
      'callback(options: OidcCallbackOptions): Token': {
        doc: 'Completes a login: exchanges the authorization code for a token. The state works once, even if the call fails, so a callback with an unknown outcome is not retried.',
        body: `{
    AuthMethod: options.method,
    State: options.state,
    Code: options.code,
    Iss: options.iss,
    ClientNonce: options.clientNonce,
  }`,
        more: `secrets: [options.state, options.code, options.clientNonce],
  ownNames: { method: true, state: true, code: true, iss: true, clientNonce: true }`,
        example: `const { SecretID } = await client.oidc.callback({ method: 'people', state, code, clientNonce })
const person = client.withToken(SecretID)`,
      },
    },
  },
  Tokens: {
    doc: 'Tokens. Spec 4.',
    methods: {
      'self(): Token': {
        doc: 'Reads the token that the client presents. No other right is needed.',
        watch: 'watchSelf',
        watchDoc:
          'Follows the token that the client presents. Ends with `PermissionDenied` when it is deleted or expires.',
      },
      'list(filter: TokenFilter = {}): TokenListEntry[]': {
        doc: 'Lists tokens: all of them, or one page if `limit` is given. {@link each} and {@link pages} read long lists page by page.',
        options: 'PageOptions',
        own: ['limit', 'cursor'],
        watch: 'watchList',
      },
      'clone(accessorId, clone: TokenClone = {}): Token': {
        note: 'A clone with an unknown outcome is not retried.',
      },
      'delete(accessorId): boolean': {
        note: 'Throws `NotFound` if the token did not exist, unless an earlier attempt of the same call may have deleted it.',
      },
    },
  },
  Policies: {
    doc: 'Policies: named rule texts. Spec 1, 2.2, 9.1.',
    methods: {
      'create(policy: PolicyCreate): Policy': {
        ...importing,
        note: unknownId,
        example: `await client.policies.create({ Name: 'web-read', Rules: 'key_prefix "web/" { policy = "read" }' })`,
      },
      'read(id): Policy': { watch: 'watch' },
      'readByName(name): Policy': {},
      'update(id, policy: PolicyUpdate): Policy': {},
      'delete(id): boolean': {},
      'list(): PolicyListEntry[]': { watch: 'watchList', each: true },
      'lint(rules: string): LintFinding[]': { body: '{ Rules: rules }' },
      'whatIf(id, rules: string): WhatIfChange[]': {
        options: 'PageOptions',
        own: ['limit', 'cursor'],
        body: '{ Rules: rules }',
      },
    },
  },
  Roles: {
    doc: 'Roles: named sets of policy links and identities. Spec 2.3.',
    methods: {
      'create(role: RoleCreate): Role': { ...importing, note: unknownId },
      'read(id): Role': { watch: 'watch' },
      'readByName(name): Role': {},
      'update(id, role: RoleUpdate): Role': {},
      'delete(id): boolean': {},
      'list(filter: RoleFilter = {}): Role[]': { watch: 'watchList', each: true },
    },
  },
  AuthMethods: {
    doc: 'Auth methods: identity providers whose credentials a login exchanges for a token.',
    methods: {
      'create(method: AuthMethodCreate): AuthMethod': {
        options: 'AuthMethodWriteOptions',
        query: '{ check: checkQuery(options) }',
        more: 'ownNames: { check: true }, secrets: secretsOf(method)',
        retry: 'unlessPending',
        example: `await client.authMethods.create({
  Name: 'ci',
  Type: 'jwt',
  MaxTokenTTL: '15m',
  Config: { JWKSURL: 'https://ci.example.com/jwks.json', ClaimMappings: { project: 'project' } },
})`,
      },
      'read(name): AuthMethod': { watch: 'watch' },
      'update(name, method: AuthMethodUpdate): AuthMethod': {
        options: 'AuthMethodWriteOptions',
        query: '{ check: checkQuery(options) }',
        more: 'ownNames: { check: true }, secrets: secretsOf(method)',
      },
      'delete(name): boolean': {},
      'list(): AuthMethodListEntry[]': { watch: 'watchList' },
      'explain(name, claims: Readonly<Record<string, unknown>>): LoginExplanation': {
        doc: 'Explains a login with these claims: the mapped values, which binding rules apply and why others do not, and the rights of the token. Nothing is verified or stored.',
        body: '{ Claims: claims }',
      },
      'logins(name): LoginsEntry[]': {
        doc: 'Lists who is logged in: the number of live tokens of each identity, in order of identity. Returns one page of at most 1,000; pass `nextCursor` for the next.',
        options: 'PageOptions',
        own: ['limit', 'cursor'],
        example: `for (const { Identity, LiveTokens } of await client.authMethods.logins('ci')) {
  if (LiveTokens > 100) console.log(\`\${Identity} leaves logins open\`)
}`,
      },
    },
  },
  BindingRules: {
    doc: 'Binding rules: they decide what the tokens of an auth method are linked to.',
    methods: {
      'create(rule: BindingRuleCreate): BindingRule': {
        ...importing,
        doc: `Creates a binding rule. All rules whose selector matches a login apply; a rule without a Selector matches every login. ${unknownId}`,
        example: `await client.bindingRules.create({
  AuthMethod: 'ci',
  Selector: 'value.ref == main',
  BindType: 'service',
  BindName: '\${value.project}-web',
})`,
      },
      'read(id): BindingRule': { watch: 'watch' },
      'update(id, rule: BindingRuleUpdate): BindingRule': {
        note: 'Send the whole record as read, with your changes.',
      },
      'delete(id): boolean': {},
      'list(filter: BindingRuleFilter = {}): BindingRule[]': { watch: 'watchList' },
    },
  },
  Namespaces: {
    doc: 'Namespaces, in the extended edition. Spec 4.9.',
    methods: {
      'create(namespace: NamespaceCreate): Namespace': {
        note: 'A create with an unknown outcome is not retried.',
      },
      'read(name): Namespace': {},
      'update(name, namespace: NamespaceUpdate): Namespace': {},
      'delete(name): boolean': { retry: 'unlessPending' },
      'list(): Namespace[]': { watch: 'watchList' },
    },
  },
  Intentions: {
    doc: 'Intentions: which services may connect to which. Spec 9.5.',
    methods: {
      'list(filter: IntentionFilter = {}): Intention[]': { watch: 'watchList' },
      'create(intention: IntentionCreate): IntentionID': {
        note: 'Returns its ID. Not retried if its outcome is unknown.',
        example: `await client.intentions.create({ SourceName: 'shop', DestinationName: 'orders', Action: 'allow' })`,
      },
      'read(id): Intention': { note: 'An edit through config entries removes the ID.' },
      'update(id, intention: IntentionUpdate): IntentionID': {},
      'delete(id): boolean': {},
      'readExact(names: IntentionNames): Intention': {},
      'writeExact(names: IntentionNames, intention: IntentionExact): boolean': { retry: 'unlessPending' },
      'deleteExact(names: IntentionNames): boolean': { retry: 'unlessPending' },
      "match(by: 'source' | 'destination', names: readonly string[]): IntentionMatches": {
        query: '{ by, name: names }',
      },
      'check(names: IntentionNames): IntentionCheck': {
        example: `const { Allowed } = await client.intentions.check({ source: 'shop', destination: 'orders' })`,
      },
      'migration(): IntentionMigration': {},
    },
  },
  ConfigEntries: {
    doc: 'Config entries of kind `service-intentions`: the intentions to one destination. Spec 9.5.',
    methods: {
      'write(entry: ConfigEntryWrite): boolean': {
        ...cas,
        options: 'EntryCasOptions',
        doc: 'Writes an entry, which replaces all intentions to its destination. Returns whether it was written.',
        example: `const Sources = [{ Name: 'shop', Action: 'allow' }]
await client.configEntries.write({ Kind: 'service-intentions', Name: 'orders', Sources })`,
      },
      'read(name): ConfigEntry': { watch: 'watch' },
      'list(): ConfigEntry[]': { watch: 'watchList' },
      'delete(name): object | boolean': {
        ...cas,
        options: 'EntryCasOptions',
        doc: 'Deletes an entry, and with it all intentions to its destination. An absent entry is not an error. With `cas`, from service version 1.11, returns whether it was deleted.',
      },
    },
  },
  Kv: {
    doc: 'The key-value store, protected by policies. Spec 5.4.',
    methods: {
      'getRaw(key): Uint8Array': {
        endpoint: 'kv.read',
        doc: 'Reads the value of a key as raw bytes, without base64 encoding.',
        path: 'keyOf(key)',
        query: '{ raw: true }',
        more: "form: 'bytes'",
        answers: 'Uint8Array',
      },
      'put(key, value: string | Uint8Array): boolean': {
        ...cas,
        endpoint: 'kv.write',
        doc: 'Writes a key. Returns whether it was written.',
        path: 'keyOf(key)',
        options: 'PutOptions',
        own: ['cas', 'flags'],
      },
      'acquire(key, session: string): boolean': {
        ...lockWrite('acquire'),
        doc: 'Writes a key and locks it for a session. `false`: another session holds the key, or a lock delay is running. `client.locks` does this for you.',
      },
      'release(key, session: string): boolean': {
        ...lockWrite('release'),
        doc: 'Writes a key and releases its lock. `false`: the session does not hold the key.',
      },
      'delete(key): boolean': {
        ...cas,
        doc: 'Deletes a key. Also `true` if it did not exist.',
        path: 'keyOf(key)',
        options: 'CasOptions',
      },
      'deleteTree(prefix): boolean': {
        endpoint: 'kv.delete',
        doc: 'Deletes all keys that begin with the prefix; an empty prefix means all keys.',
        query: '{ recurse: true }',
        retry: 'unlessPending',
      },
    },
  },
  Sessions: {
    doc: 'Sessions, which hold locks on keys. Spec 9.3, 9.4.',
    methods: {
      'create(session: LockSessionCreate = {}): LockSessionID': {
        doc: "Creates a session on a node, by default the server's. `client.locks` does this for you.",
      },
      'destroy(id): boolean': { retry: 'unlessPending' },
      'info(id): LockSession[]': {
        watch: 'watchInfo',
        watchDoc: 'Follows a session: yields a list with the session, and an empty list once it has ended.',
      },
      'node(node): LockSession[]': {},
      'list(): LockSession[]': { watch: 'watchList' },
      'renew(id): LockSession[]': {
        note: 'Throws NotFound if the session has ended.',
        retry: 'unlessPending',
      },
    },
  },
  Coordinates: {
    doc: 'Network coordinates: estimated round-trip times between nodes. Spec 9.4.',
    methods: {
      'datacenters(): DatacenterCoordinates[]': {},
      'nodes(): Coordinate[]': { options: 'CoordinateOptions', own: ['segment'] },
      'node(node): Coordinate[]': { options: 'CoordinateOptions', own: ['segment'] },
      'update(update: CoordinateUpdate): string': {},
    },
  },
  Operator: {
    doc: 'The servers of the datacenter, as operators of existing services list and remove them.',
    methods: {
      'raftConfiguration(): RaftConfiguration': {},
      'removePeer(filter: Peer): string': {},
      'autopilotHealth(): AutopilotHealth': {},
      'readAutopilot(): Autopilot': {},
      'writeAutopilot(settings: AutopilotWrite): boolean': {
        ...cas,
        options: 'EntryCasOptions',
        doc: 'Replaces the settings of the cleanup of servers. Returns whether they were written.',
      },
    },
  },
  Areas: {
    doc: 'Network areas, which link two datacenters, in the extended edition. Spec 9.4.',
    methods: {
      'create(area: AreaCreate): { ID: string }': { note: unknownId },
      'list(): Area[]': {},
      'read(uuid): Area[]': {},
      'delete(uuid): string': {},
      'members(uuid): AreaMember[]': {},
      'join(uuid, addresses: readonly string[]): AreaJoined[]': { retry: 'always' },
    },
  },
  Catalog: {
    doc: 'The catalog of the datacenter: nodes, services and checks. Spec 9.4.',
    methods: {
      'register(registration: Registration): boolean': {
        retry: 'unlessPending',
        example: `await client.catalog.register({
  Node: 'db-1',
  Address: '10.0.0.7',
  Service: { ID: 'web-1', Service: 'web', Port: 8080 },
  Check: { CheckID: 'web-alive', Name: 'web is alive', ServiceID: 'web-1', Status: 'passing' },
})`,
      },
      'deregister(removal: Removal): boolean': { retry: 'unlessPending' },
      'nodes(filter: NodeFilter = {}): CatalogNode[]': {},
      "services(filter: Pick<NodeFilter, 'node-meta'> = {}): ServiceTags": {},
      'service(name, filter: InstanceFilter = {}): ServiceInstance[]': { watch: 'watchService' },
      'connect(name, filter: InstanceFilter = {}): ServiceInstance[]': {},
      "node(name, filter: Pick<NodeFilter, 'filter'> = {}): NodeWithServices": {},
      "nodeServices(name, filter: Pick<NodeFilter, 'filter'> = {}): NodeServices": {},
      'gatewayServices(name): Record<string, unknown>[]': {},
    },
  },
  Health: {
    doc: 'Health of services and nodes. Spec 9.3, 9.4.',
    methods: {
      'node(node): HealthCheck[]': filterOf,
      'checks(service): HealthCheck[]': { options: 'CheckListOptions', own: ['near', 'nodeMeta', 'filter'] },
      'service(service): ServiceHealth[]': {
        ...instances,
        example: `const instances = await client.health.service('web', { passing: true })`,
        watch: 'watchService',
        watchDoc:
          'Follows the instances of a service: yields them at once, and again when they, their nodes or their checks change.',
        watchExample: `for await (const { value } of client.health.watchService('web', { passing: true })) balance(value)`,
        watchOptions: 'InstanceWatchOptions',
      },
      'connect(service): ServiceHealth[]': instances,
      'ingress(service): ServiceHealth[]': instances,
      'state(state): HealthCheck[]': {
        doc: 'Lists the checks in a state: `passing`, `warning`, `critical` or `any`.',
        options: 'CheckListOptions',
        own: ['near', 'nodeMeta', 'filter'],
      },
      'uiNodes(): NodeSummary[]': { ...filterOf, watch: 'watchUiNodes', ...watchFilter },
      'uiNode(node): NodeSummary': {
        watch: 'watchUiNode',
        watchDoc: 'Follows a node with its services and checks. Ends with NotFound when the node is removed.',
      },
      'uiServices(): ServiceSummary[]': { ...filterOf, watch: 'watchUiServices', ...watchFilter },
    },
  },
  Snapshots: {
    doc: 'Backup and restore of the whole store.',
    methods: {
      'restore(archive: Uint8Array | Blob): RestoredSnapshot': {
        doc: 'Replaces the whole store with an archive, or changes nothing. A restore with an unknown outcome is not retried.',
        params: {
          archive:
            'the whole archive. `fetch` reads a `Blob` of a file in pieces, so it may be larger than memory.',
        },
        options: 'RestoreOptions',
        query: '{ unauthenticated: options.unauthenticated === true ? true : undefined }',
        more: 'ownNames: { unauthenticated: true }',
        example: `const { Records } = await client.snapshots.restore(await openAsBlob('latchkey.archive'))`,
      },
    },
  },
  Agent: {
    doc: 'The server process that answers. Behind a load balancer, each call may reach a different process. Spec 9.3, 9.4.',
    methods: {
      'self(): AgentSelf': { endpoint: 'operations.self' },
      'members(): Member[]': { endpoint: 'operations.members' },
      'metrics(): AgentMetrics': {
        endpoint: 'operations.metrics',
        doc: 'Reads the metrics of the process, counted from its start.',
      },
      'metricsText(): string': {
        endpoint: 'operations.metrics',
        doc: 'Reads the metrics of the process in the text format of Prometheus.',
        query: "{ format: 'prometheus' }",
        more: "form: 'text'",
        answers: 'string',
      },
      'setReplicationToken(token: string): boolean': {
        endpoint: 'operations.setReplicationToken',
        doc: 'Sets the replication token for all processes of the datacenter: the secret of a global token of the primary with `acl:write`. An empty string restores their settings.',
        body: '{ Token: token }',
      },
      'services(): Record<string, AgentService>': { options: 'FilterOptions', own: ['filter'] },
      'service(serviceId): AgentServiceRead': { doc: "Reads a service on the server's node." },
      'checks(): Record<string, HealthCheck>': { options: 'FilterOptions', own: ['filter'] },
      'registerService(definition: AgentServiceDefinition): string': {
        doc: "Registers a service on the server's node, with its checks.",
        options: 'RegisterOptions',
        own: ['replaceExistingChecks'],
        retry: 'unlessPending',
      },
      'deregisterService(serviceId): string': {},
      'serviceMaintenance(serviceId, enable: boolean): string': {
        options: 'MaintenanceOptions',
        query: '{ enable: String(enable), reason: options.reason }',
        more: 'ownNames: { reason: true }',
        retry: 'unlessPending',
      },
      'maintenance(enable: boolean): string': {
        options: 'MaintenanceOptions',
        query: '{ enable: String(enable), reason: options.reason }',
        more: 'ownNames: { reason: true }',
        retry: 'unlessPending',
      },
      'registerCheck(definition: AgentCheckDefinition): string': {
        endpoint: 'agentChecks.register',
        retry: 'unlessPending',
      },
      'deregisterCheck(checkId): string': { endpoint: 'agentChecks.deregister' },
      'passCheck(checkId, note?: string): string': {
        ...agentCheck('pass'),
        doc: 'Reports a TTL check as passing, like a heartbeat.',
      },
      'warnCheck(checkId, note?: string): string': {
        ...agentCheck('warn'),
        doc: 'Reports a TTL check as warning.',
      },
      'failCheck(checkId, note?: string): string': {
        ...agentCheck('fail'),
        doc: 'Reports a TTL check as critical.',
      },
      'updateCheck(checkId, update: AgentCheckUpdate): string': {
        endpoint: 'agentChecks.update',
        doc: 'Reports the status of a TTL check.',
        retry: 'unlessPending',
      },
      'join(address): string': { endpoint: 'agentProcess.join' },
      'forceLeave(node): string': { endpoint: 'agentProcess.forceLeave' },
      'leave(): string': { endpoint: 'agentProcess.leave' },
      'reload(): string': { endpoint: 'agentProcess.reload', retry: 'always' },
      'host(): AgentHost': { endpoint: 'agentProcess.host' },
      'serviceHealth(serviceId): LocalHealth': {
        doc: "Reads whether a service on the server's node can accept requests. `warning` is an error with status 429, `critical` and `maintenance` with 503, and an unknown service with 404.",
      },
      'healthByName(service): LocalHealth[]': {
        doc: "Like {@link serviceHealth}, for all services on the server's node with this name.",
      },
    },
  },
  Status: {
    doc: 'The service as a whole: its processes, replication, migration and versions. Spec 9.',
    contract: 'operations',
    methods: {
      'leader(): string': {},
      'peers(): string[]': {},
      'replication(): ReplicationStatus': {},
      'changes(): Changes': {
        doc: 'Follows namespaces, policies, roles and global tokens, including all secrets. Without `index`, it returns a page of everything; `nextCursor` in `withMeta()` leads to the next page. Afterwards, with the `Index` of the first page, it returns the changes since. Applied as a whole, such an answer leads from the state at `index` to the state at its `Index`.',
        options: 'ChangesOptions',
        query:
          "{ cluster: options.cluster, cursor: options.cursor, reader: options.reader, staged: options.staged ? 'true' : undefined }",
        more: 'ownNames: { cluster: true, cursor: true, staged: true, reader: true }',
      },
      'acceptCluster(cluster: string): AcceptedCluster': {
        endpoint: 'datacenters.accept',
        doc: 'Accepts that the records of another primary store replace those of this datacenter. Replication pauses until then if the ID of the primary store changes, or if following it would delete many records.',
        params: { cluster: 'the `Cluster` that {@link changes} returns in the primary.' },
        body: '{ Cluster: cluster }',
        retry: 'always',
      },
      'promote(datacenter: string): PromotedDatacenter': {
        endpoint: 'datacenters.promote',
        doc: 'Promotes a secondary datacenter to primary. A promotion with an unknown outcome is not retried.',
        params: { datacenter: 'the name of the datacenter to promote, as a confirmation.' },
        options: 'PromoteOptions',
        body: '{ Datacenter: datacenter, Force: options.force }',
        more: 'ownNames: { force: true }',
      },
      'migration(): MigrationStatus': {},
      'datacenters(): string[]': {},
      'versionChanges(range: VersionRange): VersionChange[]': { endpoint: 'operations.versions' },
      'openapi(): Record<string, unknown>': {},
    },
  },
  Legacy: {
    doc: 'The legacy ACL API, until service version 1.11. The ID of a legacy token is its secret. Spec 9.1, 9.2.4.',
    methods: {
      'create(token: LegacyTokenRequest = {}): LegacyTokenID': {
        doc: 'Creates a legacy token, or overwrites the one with the same ID. The SDK generates an absent ID, so a retry is safe.',
        body: '',
        more: '...withOwnId(token)',
      },
      'update(token: LegacyTokenRequest): LegacyTokenID': { more: 'secrets: [token.ID]' },
      'destroy(id): boolean': { more: 'secrets: [id]', retry: 'always' },
      'info(id): LegacyToken[]': { more: 'secrets: [id]' },
      'clone(id): LegacyTokenID': {
        note: 'A clone with an unknown outcome is not retried.',
        more: 'secrets: [id]',
      },
      'list(): LegacyToken[]': {},
      'import(tokens: readonly LegacyToken[]): ImportResult': {
        doc: 'Imports the list of a legacy cluster, all or nothing. It leaves existing tokens unchanged, so a retry is safe. Raise `attemptTimeout` for a long list.',
        body: '',
        more: 'json: tokens, secrets: tokens.map((token) => token.ID)',
        retry: 'always',
      },
      'export(): LegacyToken[]': {},
      'translate(rules: string): string': {},
      'translateToken(accessorId): string': {},
    },
  },
}
