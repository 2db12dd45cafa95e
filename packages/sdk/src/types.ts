/**
 * The types of bodies and answers, inferred from the contract. The build evaluates them, and the published types refer
 * to neither the contract nor a library.
 */
import type { Answered, RouteName, RouteWithBody, Sent } from '@latchkey/contract'

/** The type of each answer. */
export type AnswerTypes = { [N in RouteName]: Answered<N> }

/** The type of each body. */
export type BodyTypes = { [N in RouteWithBody]: Sent<N> }

export type Token = Answered<'tokens.self'>
export type ServiceIdentity = NonNullable<Token['ServiceIdentities']>[number]
export type NodeIdentity = NonNullable<Token['NodeIdentities']>[number]
export type ExpandedToken = Extract<Answered<'tokens.read'>, { ExpandedPolicies: unknown }>
export type TokenListEntry = Answered<'tokens.list'>[number]
export type BootstrapToken = Answered<'tokens.bootstrap'>
export type Policy = Answered<'policies.read'>
export type PolicyListEntry = Answered<'policies.list'>[number]
export type LintFinding = Answered<'policies.lint'>[number]
export type WhatIfChange = Answered<'policies.whatIf'>[number]
export type Role = Answered<'roles.read'>
export type Namespace = Answered<'namespaces.read'>
export type AuthMethod = Answered<'authMethods.read'>
/** Which fields a configuration has depends on the type of its method. */
export type AuthMethodConfig = AuthMethod['Config']
export type NamespaceRule = NonNullable<AuthMethod['NamespaceRules']>[number]
export type AuthMethodListEntry = Answered<'authMethods.list'>[number]
export type LoginExplanation = Answered<'authMethods.explain'>
/** Live tokens of one identity. */
export type LoginsEntry = Answered<'authMethods.logins'>[number]
/** The URL to which to send the browser of a user who logs in. */
export type AuthUrl = Answered<'login.authUrl'>
export type BindingRule = Answered<'bindingRules.read'>
export type Intention = Answered<'intentions.read'>
export type IntentionID = Answered<'intentions.create'>
export type IntentionMatches = Answered<'intentions.match'>
export type IntentionCheck = Answered<'intentions.check'>
export type IntentionMigration = Answered<'intentions.migration'>
export type ConfigEntry = Answered<'configEntries.read'>
export type AuthorizeAnswer = Answered<'decisions.authorize'>[number]
export type Explanation = NonNullable<AuthorizeAnswer['Explanation']>
export type TokenReference = Answered<'decisions.whoCan'>[number]
export type CatalogNode = Answered<'catalog.nodes'>[number]
/** Tags by service name. */
export type ServiceTags = Answered<'catalog.services'>
/** An instance of a service, with its node. */
export type ServiceInstance = Answered<'catalog.service'>[number]
/** `null` if the node does not exist. */
export type NodeWithServices = Answered<'catalog.node'>
export type NodeServices = Answered<'catalog.nodeServices'>
export type KVEntry = Extract<Answered<'kv.read'>[number], object>
/** An operation of a transaction. One of its fields is set. */
export type Operation = Sent<'txn.apply'>[number]
/** The result of an operation. One of its fields is set. */
export type OperationResult = NonNullable<Answered<'txn.apply'>['Results']>[number]
/** An operation that failed, and why. */
export type OperationError = NonNullable<Answered<'txn.apply'>['Errors']>[number]
/** A session, which holds locks on keys. */
export type LockSession = Answered<'sessions.list'>[number]
export type LockSessionID = Answered<'sessions.create'>
export type LockSessionCreate = Sent<'sessions.create'>
export type Area = Answered<'areas.list'>[number]
export type AreaCreate = Sent<'areas.create'>
export type AreaJoined = Answered<'areas.join'>[number]
export type AreaMember = Answered<'areas.members'>[number]
export type RaftConfiguration = Answered<'operator.raftConfiguration'>
export type AutopilotHealth = Answered<'operator.autopilotHealth'>
export type Autopilot = Answered<'operator.readAutopilot'>
export type AutopilotWrite = Sent<'operator.writeAutopilot'>
export type Coordinate = Answered<'coordinates.nodes'>[number]
export type CoordinateUpdate = Sent<'coordinates.update'>
export type DatacenterCoordinates = Answered<'coordinates.datacenters'>[number]
export type ReplicationStatus = Answered<'operations.replication'>
export type Changes = Answered<'operations.changes'>
export type RestoredSnapshot = Answered<'snapshots.restore'>
export type AcceptedCluster = Answered<'datacenters.accept'>
export type PromotedDatacenter = Answered<'datacenters.promote'>
export type MigrationStatus = Answered<'operations.migration'>
export type AgentSelf = Answered<'operations.self'>
export type Member = AgentSelf['Member']
export type AgentMetrics = Answered<'operations.metrics'>
/** A service on the server's node, without indexes. */
export type AgentService = Answered<'agent.services'>[string]
export type AgentServiceRead = Answered<'agent.service'>
/** The body of a service registration. */
export type AgentServiceDefinition = Sent<'agent.registerService'>
/** The body of a check registration. */
export type AgentCheckDefinition = Sent<'agentChecks.register'>
/** A client's report about a TTL check. */
export type AgentCheckUpdate = Sent<'agentChecks.update'>
export type LocalHealth = Answered<'agent.serviceHealth'>
export type AgentHost = Answered<'agentProcess.host'>
export type HealthCheck = Answered<'health.checks'>[number]
/** An instance with its node and the checks of both. */
export type ServiceHealth = Answered<'health.service'>[number]
export type NodeSummary = Answered<'health.uiNode'>
export type ServiceSummary = Answered<'health.uiServices'>[number]
export type GaugeSample = AgentMetrics['Gauges'][number]
export type ValueSample = AgentMetrics['Counters'][number]
export type VersionChange = Answered<'operations.versions'>[number]
export type LegacyTokenID = Answered<'legacy.create'>
export type LegacyToken = Answered<'legacy.list'>[number]
export type ImportResult = Answered<'legacy.import'>

/** The body of create. The SDK generates an absent ID, the service an empty one. Spec 4.2. */
export type TokenCreate = Sent<'tokens.create'>
/** The body of update: the record as read, with your changes. Omitted links and Description are cleared. Spec 4.5. */
export type TokenUpdate = Sent<'tokens.update'>
/** The body of clone. Spec 4.6. */
export type TokenClone = Sent<'tokens.clone'>
export type PolicyLink = NonNullable<TokenCreate['Policies']>[number]
export type RoleLink = NonNullable<TokenCreate['Roles']>[number]
/** RFC 3339 with a time zone, stored to the millisecond. */
export type Instant = NonNullable<TokenCreate['ExpirationTime']>
/** Go notation such as "90s" or "1h30m", or a number of nanoseconds. */
export type Duration = NonNullable<TokenCreate['ExpirationTTL']>
/** The body of create. */
export type PolicyCreate = Sent<'policies.create'>
/** The body of create: SourceName, DestinationName and Action. */
export type IntentionCreate = Sent<'intentions.create'>
/** The body of update: the record as read, with your changes. Omitted fields are cleared. */
export type IntentionUpdate = Sent<'intentions.update'>
/** The body of a write by source and destination. */
export type IntentionExact = Sent<'intentions.writeExact'>
/** The body of a config entry. */
export type ConfigEntryWrite = Sent<'configEntries.write'>
/** The body of update: the record as read, with your changes. */
export type PolicyUpdate = Sent<'policies.update'>
/** The body of create. */
export type RoleCreate = Sent<'roles.create'>
/** The body of update: the record as read, with your changes. */
export type RoleUpdate = Sent<'roles.update'>
/** The body of create. A method of the same name is replaced. */
export type AuthMethodCreate = Sent<'authMethods.create'>
/** The body of update: the record as read, with your changes. */
export type AuthMethodUpdate = Sent<'authMethods.update'>
/** The body of create. */
export type BindingRuleCreate = Sent<'bindingRules.create'>
/** The body of update: the record as read, with your changes. An omitted Selector is cleared. */
export type BindingRuleUpdate = Sent<'bindingRules.update'>
/** The body of a registration: a node, at most one service, and checks. */
export type Registration = Sent<'catalog.register'>
/** The body of a removal: a service, otherwise a check, otherwise the whole node. */
export type Removal = Sent<'catalog.deregister'>
/** The body of create. ACLs are linked to every token in the namespace. */
export type NamespaceCreate = Sent<'namespaces.create'>
/** The body of update: the record as read, with your changes. */
export type NamespaceUpdate = Sent<'namespaces.update'>
/** The body of legacy create and update. ID is the secret. */
export type LegacyTokenRequest = Sent<'legacy.create'>
/** The right to look for. */
export type WhoCanRequest = Sent<'decisions.whoCan'>
/** One check of authorize. */
export type AuthorizeCheck = Sent<'decisions.authorize'>[number]
