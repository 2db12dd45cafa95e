/** The service itself: processes, replication, versions. Spec 9.3, 9.4. */
import * as z from 'zod'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { blockingQuery, checkedQuery, flagUnlessFalse, query, text, word } from '../shared/query.ts'
import { changesSchema } from './changes-schemas.ts'
import {
  agentMetricsSchema,
  agentSelfSchema,
  memberSchema,
  migrationStatusSchema,
  replicationStatusSchema,
  replicationTokenSchema,
  versionChangeSchema,
} from './schemas.ts'

/** A row of the method table. */
const row = { methodGate: 'http.enforceMethods', spec: '9.4' } as const
const open = { right: 'none', local: true, errors: [] } as const
const node = { right: 'agent:read', errors: [] } as const

export const operations = c.router({
  replication: get('/v1/acl/replication', replicationStatusSchema, {
    summary: 'Read the state of replication',
    description: 'In the primary datacenter all values are zero.',
    query: checkedQuery(),
    metadata: { ...open, ...row, checksReadOptions: true },
  }),
  changes: get('/v1/acl/changes', changesSchema, {
    summary: 'Follow namespaces, policies, roles and global tokens',
    description:
      'Without `index`, returns everything in pages. Afterwards, with the `Index` of the first page, returns the changes since. Applied as a whole, such an answer leads from the state at `index` to the state at its `Index`. Shows every secret.',
    query: blockingQuery({
      cluster: text('`Cluster` of earlier answers. If the server has another `Cluster`, it answers `Reset`.'),
      cursor: text('Continue after the page that came with this `Next-Cursor`. Without effect with `index`.'),
      reader: text(
        'Name of the reader, such as its datacenter: 1 to 64 letters, digits, `.`, `_` and `-`. The server keeps changes for named readers for up to a day.',
        { maxLength: 64 },
      ),
      staged: flagUnlessFalse(
        'If too much has changed since `index`, return the changes of the first commits and `More` instead of `Reset`.',
      ),
    }),
    metadata: {
      right: 'acl:write',
      gate: 'api.token',
      refusedInLegacyMode: true,
      blocking: 'changes',
      spec: 'extension',
      holdsSecrets: true,
      errors: ['primary_superseded'],
    },
  }),
  migration: get('/v1/internal/acl/migration', migrationStatusSchema, {
    summary: 'Read the progress of the accessor migration',
    description:
      'The number of legacy tokens that have received an accessor, and the estimated time for the others.',
    query: query({}),
    metadata: { right: 'acl:read', gate: 'api.token', spec: 'extension', errors: [] },
  }),
  leader: get('/v1/status/leader', z.string(), {
    summary: 'Read the address of the elected process',
    description:
      'As `host:port`, or empty if none is known. The elected process runs the jobs that only one process may run.',
    query: query({}),
    metadata: { ...open, ...row },
  }),
  peers: get('/v1/status/peers', z.array(z.string()), {
    summary: 'List the addresses of the server processes',
    description: 'As `host:port`, of the processes that are alive.',
    query: query({}),
    metadata: { ...open, ...row },
  }),
  self: get('/v1/agent/self', agentSelfSchema, {
    summary: 'Read the configuration and version of this process',
    description: 'Config has a few settings; DebugConfig has the whole configuration, without secrets.',
    query: query({}),
    metadata: { ...node, ...row, spec: '9.3' },
  }),
  setReplicationToken: put(
    '/v1/agent/token/replication',
    z.boolean().meta({ description: 'true: the secret is stored.' }),
    {
      summary: 'Set the token with which this datacenter replicates',
      description:
        'Applies to all processes of the datacenter and overrides their settings. An empty `Token` restores the settings. The secret is stored encrypted, and no endpoint returns it. Without effect in the primary datacenter.',
      query: query({}),
      body: replicationTokenSchema,
      metadata: {
        right: 'acl:write',
        writes: 'own',
        gate: 'api.replicationToken',
        body: 'json',
        spec: 'extension',
        errors: ['field_invalid'],
      },
    },
  ),
  members: get('/v1/agent/members', z.array(memberSchema), {
    summary: 'List the server processes',
    description:
      'Includes processes that failed or left recently. Shows processes on nodes that the caller may read.',
    query: query({
      wan: text('Not empty: names carry their datacenter, as in `db-1.dc1`.'),
      segment: text('Accepted for existing clients, without effect. Excludes `wan`.'),
    }),
    metadata: { right: 'catalog', rowRights: true, errors: [], ...row },
  }),
  metrics: get('/v1/agent/metrics', agentMetricsSchema, {
    summary: 'Read the metrics of this process',
    description:
      'As JSON or in the text format of Prometheus. Counters start with the process; compare two answers to get a rate.',
    query: query({
      format: word(
        ['prometheus'],
        { description: '`prometheus`: answer in the text format of Prometheus.' },
        undefined,
      ),
    }),
    metadata: { ...node, ...row, otherAnswers: [{ type: 'text/plain', note: 'With `format=prometheus`' }] },
  }),
  datacenters: get('/v1/catalog/datacenters', z.array(z.string()), {
    summary: 'List the known datacenters',
    description: 'The datacenters that `dc` may name, the local one first.',
    query: query({}),
    metadata: { ...open, ...row },
  }),
  versions: get('/v1/internal/versions', z.array(versionChangeSchema), {
    summary: 'List the changes between two service versions',
    description: 'Every version gate that opens or closes after `from` and up to `to`, oldest first.',
    query: query({
      from: text('A service version, such as `1.3.0`.'),
      to: text('A service version not older than `from`.'),
    }),
    metadata: { right: 'none', local: true, spec: 'extension', errors: ['version_invalid'] },
  }),
  openapi: get('/v1/openapi.json', z.record(z.string(), z.unknown()), {
    summary: 'Read this API as OpenAPI 3.1',
    description: 'This document, for the service version of the server.',
    query: query({}),
    metadata: { ...open, spec: 'extension' },
  }),
} satisfies ContractRoutes)
