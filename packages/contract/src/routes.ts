/**
 * The endpoints with their schemas: a ts-rest router, and the plain route table that everything else reads.
 * ts-rest is known to this file alone, so nothing of it reaches a published type.
 */
import { initContract } from '@ts-rest/core'
import * as z from 'zod'
import {
  authorizeAnswerSchema,
  authorizeRequestSchema,
  lintFindingSchema,
  lintRequestSchema,
  tokenReferenceSchema,
  whatIfChangeSchema,
  whatIfRequestSchema,
  whoCanRequestSchema,
} from './authorize.ts'
import { ENDPOINTS, type Endpoint, type EndpointName } from './endpoints.ts'
import { kvEntrySchema } from './kv.ts'
import { legacyIdSchema, legacyTokenRequestSchema, legacyTokenSchema } from './legacy.ts'
import { namespaceRequestSchema, namespaceSchema } from './namespace.ts'
import { policyListEntrySchema, policyRequestSchema, policySchema } from './policy.ts'
import { roleRequestSchema, roleSchema } from './role.ts'
import {
  agentMetricsSchema,
  agentSelfSchema,
  importResultSchema,
  memberSchema,
  migrationStatusSchema,
  replicationStatusSchema,
  versionChangeSchema,
} from './status.ts'
import {
  cloneRequestSchema,
  expandedTokenSchema,
  tokenListEntrySchema,
  tokenRequestSchema,
  tokenSchema,
} from './token.ts'

interface Schemas {
  /** Absent: no body. */
  readonly body?: z.ZodType
  readonly answer: z.ZodType
}

const deleted = z.boolean().meta({ description: 'true: the record was deleted.' })

/** What goes in and comes out of each endpoint. */
export const SCHEMAS = {
  'tokens.create': { body: tokenRequestSchema, answer: tokenSchema },
  'tokens.self': { answer: tokenSchema },
  'tokens.clone': { body: cloneRequestSchema, answer: tokenSchema },
  'tokens.read': { answer: z.union([tokenSchema, expandedTokenSchema]) },
  'tokens.update': { body: tokenRequestSchema, answer: tokenSchema },
  'tokens.delete': { answer: deleted },
  'tokens.list': { answer: z.array(tokenListEntrySchema) },
  'policies.create': { body: policyRequestSchema, answer: policySchema },
  'policies.lint': { body: lintRequestSchema, answer: z.array(lintFindingSchema) },
  'policies.readByName': { answer: policySchema },
  'policies.whatIf': { body: whatIfRequestSchema, answer: z.array(whatIfChangeSchema) },
  'policies.read': { answer: policySchema },
  'policies.update': { body: policyRequestSchema, answer: policySchema },
  'policies.delete': { answer: deleted },
  'policies.list': { answer: z.array(policyListEntrySchema) },
  'roles.create': { body: roleRequestSchema, answer: roleSchema },
  'roles.readByName': { answer: roleSchema },
  'roles.read': { answer: roleSchema },
  'roles.update': { body: roleRequestSchema, answer: roleSchema },
  'roles.delete': { answer: deleted },
  'roles.list': { answer: z.array(roleSchema) },
  'namespaces.create': { body: namespaceRequestSchema, answer: namespaceSchema },
  'namespaces.read': { answer: namespaceSchema },
  'namespaces.update': { body: namespaceRequestSchema, answer: namespaceSchema },
  'namespaces.delete': { answer: deleted },
  'namespaces.list': { answer: z.array(namespaceSchema) },
  bootstrap: { answer: tokenSchema.extend({ ID: z.string() }).strict().meta({ id: 'BootstrapToken' }) },
  'acl.replication': { answer: replicationStatusSchema },
  authorize: { body: authorizeRequestSchema, answer: z.array(authorizeAnswerSchema) },
  'acl.whoCan': { body: whoCanRequestSchema, answer: z.array(tokenReferenceSchema) },
  'acl.migration': { answer: migrationStatusSchema },
  'rules.translate': { body: z.string(), answer: z.string() },
  'rules.translateToken': { answer: z.string() },
  'legacy.create': { body: legacyTokenRequestSchema, answer: legacyIdSchema },
  'legacy.update': { body: legacyTokenRequestSchema, answer: legacyIdSchema },
  'legacy.destroy': { answer: deleted },
  'legacy.info': { answer: z.array(legacyTokenSchema) },
  'legacy.clone': { answer: legacyIdSchema },
  'legacy.list': { answer: z.array(legacyTokenSchema) },
  'legacy.import': { body: z.array(legacyTokenSchema), answer: importResultSchema },
  'legacy.export': { answer: z.array(legacyTokenSchema) },
  'kv.read': { answer: z.union([z.array(kvEntrySchema), z.array(z.string())]) },
  'kv.write': { body: z.string(), answer: z.boolean() },
  'kv.delete': { answer: z.boolean() },
  'status.leader': { answer: z.string() },
  'status.peers': { answer: z.array(z.string()) },
  'agent.self': { answer: agentSelfSchema },
  'agent.members': { answer: z.array(memberSchema) },
  'agent.metrics': { answer: agentMetricsSchema },
  'catalog.datacenters': { answer: z.array(z.string()) },
  versions: { answer: z.array(versionChangeSchema) },
  openapi: { answer: z.record(z.string(), z.unknown()) },
} as const satisfies Record<EndpointName, Schemas>

const contract = initContract()

/** The whole API as a ts-rest router, one entry per endpoint. */
export const router = contract.router(
  Object.fromEntries(
    Object.entries(ENDPOINTS).map(([name, endpoint]) => [name, toTsRest(name as EndpointName, endpoint)]),
  ),
)

/** One row of the plain route table. */
export interface Route extends Endpoint {
  readonly name: EndpointName
  readonly schemas: Schemas
}

/** The plain route table: what the router says, without ts-rest's types. */
export const ROUTES: readonly Route[] = (Object.keys(router) as EndpointName[]).map((name) => ({
  ...(ENDPOINTS[name] as Endpoint),
  name,
  schemas: SCHEMAS[name],
}))

function toTsRest(name: EndpointName, endpoint: Endpoint) {
  const { body, answer } = SCHEMAS[name] as Schemas
  const common = {
    path: `/v1${endpoint.path}`,
    summary: endpoint.summary,
    responses: { 200: answer },
  } as const
  if (endpoint.method === 'GET') return { ...common, method: 'GET' } as const
  return { ...common, method: endpoint.method, body: body ?? contract.noBody() } as const
}
