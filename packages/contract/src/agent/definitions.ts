/** The definition of a check that the agent runs, as a client writes it. Decisions: agent. */
import * as z from 'zod'
import { CHECK_OUTPUT_BYTES_DEFAULT } from '../limits.ts'
import { unoffered } from '../shared/fields.ts'
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
export const serviceCheckSchema = z.object(fields).meta({ id: 'AgentServiceCheck' })
export type ServiceCheckDefinition = z.output<typeof serviceCheckSchema>

/** The body of a check registration. */
export const checkDefinitionSchema = z
  .object({
    ID: words('Default: CheckID, or the name.'),
    ...fields,
    ServiceID: words('ID of a service of this agent. If absent, the check belongs to the node.'),
    Token: unoffered(z.string()),
  })
  .meta({ id: 'AgentCheckDefinition' })
export type CheckDefinition = z.output<typeof checkDefinitionSchema>

/** The body of `PUT /v1/agent/check/update/:CheckID`. */
export const checkUpdateSchema = z
  .object({
    Status: words('`passing`, `warning` or `critical`.'),
    Output: words('Output of the check, for people.'),
  })
  .meta({ id: 'AgentCheckUpdate' })
