/** The agent: services and checks of the server's own node. Decisions: agent. */
import * as z from 'zod'
import { checkSchema, nodeServiceSchema } from '../catalog/records.ts'
import { serviceRegistrationSchema } from '../catalog/schemas.ts'
import { SERVICE_CHECKS_MAX } from '../limits.ts'
import { unoffered } from '../shared/fields.ts'
import { serviceCheckSchema } from './definitions.ts'

const {
  Service: _service,
  Namespace: _namespace,
  CreateIndex: _created,
  ModifyIndex: _modified,
  ...shared
} = serviceRegistrationSchema.shape

/** The body of a service registration. */
export const serviceDefinitionSchema = z
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
export const agentServiceReadSchema = agentServiceSchema
  .extend({
    ContentHash: z.string().meta({ description: '16 hexadecimal digits: equal content, equal hash.' }),
  })
  .strict()
  .meta({ id: 'AgentServiceRead' })

/** Services by ID. */
export const agentServicesSchema = z.record(z.string(), agentServiceSchema)
/** Checks by ID. */
export const agentChecksSchema = z.record(z.string(), checkSchema)

/** The health of one service on this node. */
export const localHealthSchema = z
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
