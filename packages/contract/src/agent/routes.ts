/** The agent: services and checks of the server's own node, and the process itself. Spec 9.4. */
import * as z from 'zod'
import { checkSchema, nodeServiceSchema } from '../catalog/records.ts'
import { serviceRegistrationSchema } from '../catalog/schemas.ts'
import { REGISTRATION_BYTES_MAX, SERVICE_CHECKS_MAX } from '../limits.ts'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { filter } from '../shared/catalog-query.ts'
import { unoffered } from '../shared/fields.ts'
import { flag, query, text, wait, word } from '../shared/query.ts'
import { checkDefinitionSchema, checkUpdateSchema, serviceCheckSchema } from './definitions.ts'

const {
  Service: _service,
  Namespace: _namespace,
  CreateIndex: _created,
  ModifyIndex: _modified,
  ...shared
} = serviceRegistrationSchema.shape

/** The body of a service registration. */
const serviceDefinitionSchema = z
  .object({
    ...shared,
    Name: z.string().optional().meta({ description: 'Name of the service.' }),
    Check: serviceCheckSchema.optional().meta({ description: 'A check of the service.' }),
    Checks: z
      .array(serviceCheckSchema)
      .max(SERVICE_CHECKS_MAX)
      .optional()
      .meta({ description: 'Further checks of the service.' }),
    Token: unoffered(z.string()),
  })
  .meta({ id: 'AgentServiceDefinition' })
export type ServiceDefinition = z.output<typeof serviceDefinitionSchema>

/** A service as its agent returns it, without indexes. */
const agentServiceSchema = nodeServiceSchema
  .omit({ CreateIndex: true, ModifyIndex: true })
  .strict()
  .meta({ id: 'AgentService' })
export type AgentService = z.infer<typeof agentServiceSchema>

/** One service, with the hash that a client can wait on. */
const agentServiceReadSchema = agentServiceSchema
  .extend({
    ContentHash: z.string().meta({ description: '16 hexadecimal digits: equal content, equal hash.' }),
  })
  .strict()
  .meta({ id: 'AgentServiceRead' })

/** Services by ID. */
const agentServicesSchema = z.record(z.string(), agentServiceSchema)
/** Checks by ID. */
const agentChecksSchema = z.record(z.string(), checkSchema)

/** The health of one service on this node. */
const localHealthSchema = z
  .strictObject({
    AggregatedStatus: z
      .string()
      .meta({
        description:
          '`passing`, `warning`, `critical` or `maintenance`: the worst status of its checks and the checks of the node.',
      }),
    Service: agentServiceSchema.nullable().meta({ description: 'null if the service does not exist.' }),
    Checks: z.array(checkSchema).nullable().meta({ description: 'Checks of the node, then of the service.' }),
  })
  .meta({ id: 'LocalHealth' })
export type LocalHealth = z.infer<typeof localHealthSchema>

/** The machine of the process. */
export const agentHostSchema = z
  .strictObject({
    Memory: z
      .record(z.string(), z.number())
      .meta({ description: '`total`, `available` and `used`, in bytes.' }),
    CPU: z
      .array(
        z.strictObject({
          cpu: z.int().meta({ description: 'Number of the processor, from 0.' }),
          modelName: z.string().meta({ description: 'Its model.' }),
          mhz: z.number().meta({ description: 'Its clock rate in MHz.' }),
        }),
      )
      .meta({ description: 'One entry for each processor.' }),
    Host: z
      .record(z.string(), z.union([z.string(), z.number()]))
      .meta({ description: 'Name, operating system, platform and uptime in seconds.' }),
    Disk: z.null().meta({ description: 'Always null.' }),
    CollectionTime: z
      .number()
      .meta({ description: 'When the values were read, in nanoseconds since the epoch.' }),
    Errors: z.null().meta({ description: 'Always null.' }),
  })
  .meta({ id: 'AgentHost' })
export type AgentHost = z.infer<typeof agentHostSchema>

/** A row of the method table. */
const row = { methodGate: 'http.enforceMethods', spec: '9.4' } as const
const extra = { spec: 'extension' } as const
/** The required right depends on the record that the request concerns. */
const judged = { right: 'catalog', inDefault: true } as const
const rows = { ...judged, rowRights: true, errors: ['filter_invalid', 'field_too_long'] } as const
const change = { ...judged, writes: 'own', answerForm: 'text' } as const
const registers = { ...change, body: 'json', looseNames: true, bodyBytesMax: REGISTRATION_BYTES_MAX } as const
const done = z.string().meta({ description: 'Empty.' })

const serviceParam = z.object({
  ServiceID: z.string().meta({ description: 'ID of a service of this node. Not case-sensitive.' }),
})
const serviceNameParam = z.object({
  ServiceName: z.string().meta({ description: 'Name of a service on this node. Not case-sensitive.' }),
})
const checkParam = z.object({
  CheckID: z.string().meta({ description: 'ID of a check of this node. Not case-sensitive.' }),
})
const ofService = { subject: 'service ID' } as const
const ofCheck = { subject: 'check ID' } as const

/** A client reports the state of a TTL check. */
const report = {
  ...change,
  ...row,
  ...ofCheck,
  errors: ['id_missing', 'not_found', 'field_invalid'],
} as const
const note = query({ note: text('Output of the check, for people.') })
const enabled = { enable: text('`true` or `false`; required.'), reason: text('The reason, for people.') }
const format = word(['text'], { description: '`text`: return only the status, as plain text.' }, undefined)
const health = {
  ...judged,
  gate: 'agent.localHealth',
  ...extra,
  otherAnswers: [{ type: 'text/plain', note: 'With `format=text`' }],
  otherStatuses: [404, 429, 503],
  errors: ['id_missing', 'answer_too_large'],
} as const
const LOCAL_HEALTH =
  'The status is 200 for passing, 429 for warning, 503 for critical and maintenance, and 404 if there is no such service.'

export const agent = c.router({
  services: get('/v1/agent/services', agentServicesSchema, {
    summary: 'List the services of this node',
    description: 'The services by ID, if the caller may read them. Omits the service of the server itself.',
    query: query({ filter }),
    metadata: { ...rows, ...row },
  }),
  service: get('/v1/agent/service/:ServiceID', agentServiceReadSchema, {
    pathParams: serviceParam,
    summary: 'Read a service of this node',
    description: 'With `hash`, waits until the service has a different hash or `wait` has passed.',
    query: query({ hash: text('ContentHash from an earlier answer.'), wait }),
    metadata: {
      ...judged,
      ...ofService,
      gate: 'agent.readService',
      ...extra,
      errors: ['id_missing', 'not_found'],
    },
  }),
  checks: get('/v1/agent/checks', agentChecksSchema, {
    summary: 'List the checks of this node',
    description: 'By ID, with their latest output. Shows checks that the caller may read.',
    query: query({ filter }),
    metadata: { ...rows, ...row, errors: [...rows.errors, 'answer_too_large'] },
  }),
  registerService: put('/v1/agent/service/register', done, {
    summary: 'Register a service of this node, with its checks',
    description:
      'Replaces a service with the same ID. Its existing checks and their status are kept, unless `replace-existing-checks` is set. Field names match regardless of case and underscores.',
    query: query({
      'replace-existing-checks': flag('Remove checks of the service that the body does not define.'),
    }),
    body: serviceDefinitionSchema,
    metadata: { ...registers, ...row, errors: ['field_required', 'field_invalid'] },
  }),
  deregisterService: put('/v1/agent/service/deregister/:ServiceID', done, {
    pathParams: serviceParam,
    summary: 'Deregister a service of this node',
    description: 'Also removes its checks.',
    query: query({}),
    metadata: { ...change, ...row, ...ofService, errors: ['id_missing', 'not_found'] },
  }),
  serviceMaintenance: put('/v1/agent/service/maintenance/:ServiceID', done, {
    pathParams: serviceParam,
    summary: 'Start or end the maintenance of a service',
    description: 'Adds or removes a critical check. A second start keeps the first reason.',
    query: query(enabled),
    metadata: { ...change, ...ofService, ...extra, errors: ['id_missing', 'not_found', 'query_invalid'] },
  }),
  maintenance: put('/v1/agent/maintenance', done, {
    summary: 'Start or end the maintenance of this node',
    description: 'Adds or removes a critical check of the node.',
    query: query(enabled),
    metadata: { ...change, ...extra, errors: ['query_invalid'] },
  }),
  serviceHealth: get('/v1/agent/health/service/id/:ServiceID', localHealthSchema, {
    pathParams: serviceParam,
    summary: 'Read the health of a service of this node',
    description: LOCAL_HEALTH,
    query: query({ format }),
    metadata: { ...health, ...ofService },
  }),
  healthByName: get('/v1/agent/health/service/name/:ServiceName', z.array(localHealthSchema), {
    pathParams: serviceNameParam,
    summary: 'Read the health of the services with a name on this node',
    description: LOCAL_HEALTH,
    query: query({ format }),
    metadata: { ...health, subject: 'service name' },
  }),
} satisfies ContractRoutes)

export const agentChecks = c.router({
  register: put('/v1/agent/check/register', done, {
    summary: 'Register a check of this node, or of one of its services',
    description:
      'The server runs HTTP, TCP and alias checks itself; clients must report TTL checks in time. Field names match regardless of case and underscores.',
    query: query({}),
    body: checkDefinitionSchema,
    metadata: { ...registers, ...row, errors: ['field_required', 'field_invalid', 'not_found'] },
  }),
  deregister: put('/v1/agent/check/deregister/:CheckID', done, {
    pathParams: checkParam,
    summary: 'Deregister a check of this node',
    description: 'The check no longer runs.',
    query: query({}),
    metadata: { ...change, ...row, ...ofCheck, errors: ['id_missing', 'not_found'] },
  }),
  pass: put('/v1/agent/check/pass/:CheckID', done, {
    pathParams: checkParam,
    summary: 'Report a TTL check as passing',
    description: 'A report without a change is not written.',
    query: note,
    metadata: report,
  }),
  warn: put('/v1/agent/check/warn/:CheckID', done, {
    pathParams: checkParam,
    summary: 'Report a TTL check as warning',
    description: 'Like pass.',
    query: note,
    metadata: report,
  }),
  fail: put('/v1/agent/check/fail/:CheckID', done, {
    pathParams: checkParam,
    summary: 'Report a TTL check as critical',
    description: 'Like pass.',
    query: note,
    metadata: report,
  }),
  update: put('/v1/agent/check/update/:CheckID', done, {
    pathParams: checkParam,
    summary: 'Report the status of a TTL check',
    description: 'Like pass, warn and fail, but with the status and the output in the body.',
    query: query({}),
    body: checkUpdateSchema,
    metadata: { ...registers, ...ofCheck, ...extra, errors: ['id_missing', 'not_found', 'field_invalid'] },
  }),
} satisfies ContractRoutes)
