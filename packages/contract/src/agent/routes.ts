/** The agent: services and checks of the server's own node, and the process itself. Spec 9.4. */
import * as z from 'zod'
import { checkSchema, nodeServiceSchema } from '../catalog/records.ts'
import { serviceRegistrationSchema } from '../catalog/schemas.ts'
import { CHECK_OUTPUT_BYTES_DEFAULT, REGISTRATION_BYTES_MAX, SERVICE_CHECKS_MAX } from '../limits.ts'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { filter } from '../shared/catalog-query.ts'
import { unoffered } from '../shared/fields.ts'
import { flag, query, text, wait, word } from '../shared/query.ts'
import { durationSchema } from '../time/schemas.ts'

const duration = (description: string) => durationSchema.optional().meta({ description })
const words = (description: string) => z.string().optional().meta({ description })
const runs = (description: string) =>
  z.int().min(0, { error: 'must be 0 or more' }).optional().meta({ description })

/** Fields of a check definition. Exactly one of `TTL`, `HTTP`, `TCP` and the alias fields determines its type. */
const fields = {
  CheckID: words('Default: `service:` and the ID of the service; for a check on its own, the name.'),
  Name: words('Name for people.'),
  Notes: words('Free text for people.'),
  Status: words('`passing`, `warning` or `critical` until the first result. Default: `critical`.'),
  TTL: duration('The check becomes critical unless the client reports within this time.'),
  HTTP: words('URL to request: 2xx is passing, 429 is warning, everything else is critical.'),
  Method: words('Method of an HTTP check. Default: GET.'),
  Header: z
    .record(z.string(), z.array(z.string()))
    .optional()
    .meta({ description: 'Request headers of an HTTP check.' }),
  Body: words('Request body of an HTTP check.'),
  TLSSkipVerify: z
    .boolean()
    .optional()
    .meta({ description: 'Whether an HTTP check accepts any certificate.' }),
  TCP: words('`host:port` to connect to.'),
  Interval: duration('Time between two runs of an HTTP or TCP check; at least 1s.'),
  Timeout: duration('Time limit for one run. Default: 10s.'),
  AliasService: words('Follow the worst status of the checks of this service ID.'),
  AliasNode: words('Follow the checks of this node. Default: the node of the server.'),
  OutputMaxSize: z
    .int()
    .optional()
    .meta({ description: `Maximum output to store, in bytes. Default: ${CHECK_OUTPUT_BYTES_DEFAULT}.` }),
  SuccessBeforePassing: runs('Consecutive results that are needed before the check is passing. Default: 1.'),
  FailuresBeforeCritical: runs(
    'Consecutive results that are needed before the check is critical. Default: 1.',
  ),
  DeregisterCriticalServiceAfter: duration(
    'Deregister the service after its check has been critical for this long; at least 1m.',
  ),
  ScriptArgs: unoffered(z.array(z.string())),
  DockerContainerID: unoffered(z.string()),
  Shell: unoffered(z.string()),
  GRPC: unoffered(z.string()),
  GRPCUseTLS: unoffered(z.boolean()),
  ProxyHTTP: unoffered(z.string()),
  ProxyGRPC: unoffered(z.string()),
}

/** A check inside a service definition. */
const serviceCheckSchema = z.object(fields).meta({ id: 'AgentServiceCheck' })
export type ServiceCheckDefinition = z.output<typeof serviceCheckSchema>

/** The body of a check registration. */
const checkDefinitionSchema = z
  .object({
    ID: words('Default: CheckID, or the name.'),
    ...fields,
    ServiceID: words('ID of a service of this agent. If absent, the check belongs to the node.'),
    Token: unoffered(z.string()),
  })
  .meta({ id: 'AgentCheckDefinition' })
export type CheckDefinition = z.output<typeof checkDefinitionSchema>

/** The body of `PUT /v1/agent/check/update/:CheckID`. */
const checkUpdateSchema = z
  .object({
    Status: words('`passing`, `warning` or `critical`.'),
    Output: words('Output of the check, for people.'),
  })
  .meta({ id: 'AgentCheckUpdate' })

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
/** The reference fails for an ID that its node does not have. */
const unknown = { id_missing: 500, not_found: 500 } as const
/** A definition of a check, whose rules the reference checks like its form. */
const defined = {
  not_found: 500,
  field_required: 400,
  field_invalid: 400,
  'field_invalid ScriptArgs': 500,
} as const

/** A client reports the state of a TTL check. */
const report = {
  ...change,
  ...row,
  ...ofCheck,
  errors: ['id_missing', 'not_found', 'field_invalid'],
  referenceStatuses: unknown,
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
  referenceStatuses: { id_missing: 500 },
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
      referenceStatuses: { id_missing: 404 },
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
    metadata: {
      ...registers,
      ...row,
      errors: ['field_required', 'field_invalid'],
      referenceStatuses: defined,
    },
  }),
  deregisterService: put('/v1/agent/service/deregister/:ServiceID', done, {
    pathParams: serviceParam,
    summary: 'Deregister a service of this node',
    description: 'Also removes its checks.',
    query: query({}),
    metadata: {
      ...change,
      ...row,
      ...ofService,
      errors: ['id_missing', 'not_found'],
      referenceStatuses: unknown,
    },
  }),
  serviceMaintenance: put('/v1/agent/service/maintenance/:ServiceID', done, {
    pathParams: serviceParam,
    summary: 'Start or end the maintenance of a service',
    description: 'Adds or removes a critical check. A second start keeps the first reason.',
    query: query(enabled),
    metadata: {
      ...change,
      ...ofService,
      ...extra,
      errors: ['id_missing', 'not_found', 'query_invalid'],
      referenceStatuses: { not_found: 500 },
    },
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
    metadata: {
      ...registers,
      ...row,
      errors: ['field_required', 'field_invalid', 'not_found'],
      referenceStatuses: defined,
    },
  }),
  deregister: put('/v1/agent/check/deregister/:CheckID', done, {
    pathParams: checkParam,
    summary: 'Deregister a check of this node',
    description: 'The check no longer runs.',
    query: query({}),
    metadata: {
      ...change,
      ...row,
      ...ofCheck,
      errors: ['id_missing', 'not_found'],
      referenceStatuses: unknown,
    },
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
    metadata: {
      ...registers,
      ...ofCheck,
      ...extra,
      errors: ['id_missing', 'not_found', 'field_invalid'],
      referenceStatuses: defined,
    },
  }),
} satisfies ContractRoutes)

export const agentProcess = c.router({
  join: put('/v1/agent/join/:Address', done, {
    pathParams: z.object({
      Address: z.string().meta({ description: 'Address of a member: host, or host:port.' }),
    }),
    summary: 'Confirm that a process is a member',
    description:
      'Changes nothing, because processes that share a database are members already. Other addresses are refused.',
    query: query({ wan: flag('Accepted for existing clients, without effect.') }),
    metadata: {
      right: 'agent:write',
      writes: 'nothing',
      answerForm: 'text',
      ...row,
      subject: 'address',
      errors: ['id_missing', 'field_invalid'],
    },
  }),
  forceLeave: put('/v1/agent/force-leave/:Node', done, {
    pathParams: z.object({ Node: z.string().meta({ description: 'Name of a member that failed.' }) }),
    summary: 'Remove a failed process from the members',
    description:
      'Changes nothing for a live process. Failed members are also removed automatically after a while.',
    query: query({ prune: flag('Accepted for existing clients, without effect.') }),
    metadata: {
      right: 'operator:write',
      writes: 'own',
      answerForm: 'text',
      ...row,
      subject: 'node name',
      errors: ['id_missing', 'not_found'],
      referenceStatuses: { not_found: 500, id_missing: 500 },
    },
  }),
  leave: put('/v1/agent/leave', done, {
    summary: 'Stop this server',
    description: 'The server answers, finishes open requests, leaves the cluster and stops.',
    query: query({}),
    metadata: { right: 'agent:write', writes: 'own', answerForm: 'text', ...extra, errors: [] },
  }),
  reload: put('/v1/agent/reload', done, {
    summary: 'Reload the configuration',
    description:
      'Accepted for existing clients. Settings come from the environment, so changes need a restart.',
    query: query({}),
    metadata: { right: 'agent:write', writes: 'nothing', answerForm: 'text', ...extra, errors: [] },
  }),
  host: get('/v1/agent/host', agentHostSchema, {
    summary: 'Read facts about the machine of this process',
    description: 'Memory, processors and operating system.',
    query: query({}),
    metadata: { right: 'operator:read', ...extra, errors: [] },
  }),
} satisfies ContractRoutes)
