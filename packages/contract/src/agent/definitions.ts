/** What a client writes of a check that the agent runs. Decisions: agent. */
import * as z from 'zod'
import { CHECK_OUTPUT_BYTES_DEFAULT } from '../limits.ts'
import { unoffered } from '../shared/fields.ts'
import { durationSchema } from '../time/schemas.ts'

const duration = (description: string) => durationSchema.optional().meta({ description })
const words = (description: string) => z.string().optional().meta({ description })
const runs = (description: string) =>
  z.int().min(0, { error: 'must be 0 or more' }).optional().meta({ description })

/** Fields of the definition of a check. Exactly one of `TTL`, `HTTP`, `TCP` and the alias fields makes its type. */
const fields = {
  CheckID: words('Default: that of the service, or the name.'),
  Name: words('Name for people.'),
  Notes: words('Free text for people.'),
  Status: words('`passing`, `warning` or `critical` until the first result. Default: `critical`.'),
  TTL: duration('The client reports in time, else the check becomes critical.'),
  HTTP: words('URL to ask: 2xx passes, 429 warns, everything else is critical.'),
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
  Timeout: duration('Time for one run. Default: 10s.'),
  AliasService: words('Follow the worst status of the checks of this service ID.'),
  AliasNode: words('Follow the checks of this node. Default: that of the server.'),
  OutputMaxSize: z
    .int()
    .optional()
    .meta({ description: `Longest output that is kept, in bytes. Default: ${CHECK_OUTPUT_BYTES_DEFAULT}.` }),
  SuccessBeforePassing: runs('Results in a row that are needed before the check passes. Default: 1.'),
  FailuresBeforeCritical: runs('Results in a row that are needed before the check is critical. Default: 1.'),
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

/** A check inside the definition of a service. */
export const serviceCheckSchema = z.object(fields).meta({ id: 'AgentServiceCheck' })
export type ServiceCheckDefinition = z.output<typeof serviceCheckSchema>

/** The body of a registration of one check. */
export const checkDefinitionSchema = z
  .object({
    ID: words('Default: CheckID, or the name.'),
    ...fields,
    ServiceID: words('A service of this agent. Absent: a check of the node.'),
    Token: unoffered(z.string()),
  })
  .meta({ id: 'AgentCheckDefinition' })
export type CheckDefinition = z.output<typeof checkDefinitionSchema>

/** The body of `PUT /v1/agent/check/update/:CheckID`. */
export const checkUpdateSchema = z
  .object({
    Status: words('`passing`, `warning` or `critical`.'),
    Output: words('What people should read about it.'),
  })
  .meta({ id: 'AgentCheckUpdate' })
