/** What the service says of itself: processes, replication, versions. Spec 9.3, 9.4. */
import * as z from 'zod'
import { answers, type ContractRoutes, c } from '../route.ts'
import { checkedQuery, query, text, word } from '../shared/query.ts'
import {
  agentMetricsSchema,
  agentSelfSchema,
  memberSchema,
  migrationStatusSchema,
  replicationStatusSchema,
  versionChangeSchema,
} from './schemas.ts'

const open = { right: 'none', local: true, errors: [] } as const
const node = { right: 'agent:read', errors: [] } as const

export const operations = c.router({
  replication: {
    method: 'GET',
    path: '/v1/acl/replication',
    summary: 'Read the state of replication',
    description: 'Zero values in the primary datacenter.',
    query: checkedQuery(),
    ...answers(replicationStatusSchema, { ...open, acl: true, spec: '9.4', checksReadOptions: true }),
  },
  migration: {
    method: 'GET',
    path: '/v1/internal/acl/migration',
    summary: 'Watch the accessor migration',
    description: 'How far the accessors of legacy tokens are.',
    query: query({}),
    ...answers(migrationStatusSchema, {
      right: 'acl:read',
      acl: true,
      gate: 'api.token',
      spec: 'extension',
      errors: [],
    }),
  },
  leader: {
    method: 'GET',
    path: '/v1/status/leader',
    summary: 'Address of the process that runs the single-winner jobs',
    description: 'As `host:port`; empty where none is known.',
    query: query({}),
    ...answers(z.string(), { ...open, spec: '9.4' }),
  },
  peers: {
    method: 'GET',
    path: '/v1/status/peers',
    summary: 'Addresses of all server processes',
    description: 'As `host:port`, of those that are alive.',
    query: query({}),
    ...answers(z.array(z.string()), { ...open, spec: '9.4' }),
  },
  self: {
    method: 'GET',
    path: '/v1/agent/self',
    summary: 'Configuration and version of this process',
    description: 'Config is small; the whole configuration, without secrets, stands under DebugConfig.',
    query: query({}),
    ...answers(agentSelfSchema, { ...node, spec: '9.3' }),
  },
  members: {
    method: 'GET',
    path: '/v1/agent/members',
    summary: 'All server processes',
    description: 'Failed ones and those that left are shown for a while.',
    query: query({}),
    ...answers(z.array(memberSchema), { ...node, spec: '9.4' }),
  },
  metrics: {
    method: 'GET',
    path: '/v1/agent/metrics',
    summary: 'Metrics of this process',
    description:
      'As JSON, or for Prometheus. Counted from the start of the process: take the difference of two answers.',
    query: query({
      format: word(
        ['prometheus'],
        { description: '`prometheus` for the text format of Prometheus.' },
        undefined,
      ),
    }),
    ...answers(agentMetricsSchema, {
      ...node,
      otherAnswers: [{ type: 'text/plain', note: 'With `format=prometheus`' }],
      spec: '9.4',
    }),
  },
  datacenters: {
    method: 'GET',
    path: '/v1/catalog/datacenters',
    summary: 'Names of all known datacenters',
    description: 'The own one first.',
    query: query({}),
    ...answers(z.array(z.string()), { ...open, spec: '9.4' }),
  },
  versions: {
    method: 'GET',
    path: '/v1/internal/versions',
    summary: 'What changes between two service versions',
    description: 'Every version gate with an edge after `from` and not after `to`, oldest first.',
    query: query({
      from: text('A service version, such as `1.3.0`.'),
      to: text('A service version not older than `from`.'),
    }),
    ...answers(z.array(versionChangeSchema), {
      right: 'none',
      local: true,
      spec: 'extension',
      errors: ['version_invalid'],
    }),
  },
  openapi: {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'This API as OpenAPI 3.1',
    description: 'This document, for the service version that the server speaks as.',
    query: query({}),
    ...answers(z.record(z.string(), z.unknown()), { ...open, spec: 'extension' }),
  },
} satisfies ContractRoutes)
