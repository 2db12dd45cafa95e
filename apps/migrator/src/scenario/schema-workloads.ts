/** Workloads of a scenario file: repeated client calls. */
import * as z from 'zod'
import { name, seconds, versionText } from './schema-parts.ts'

/** Repeated client calls. Comments name the row of the spec that each kind demonstrates. */
export const WORKLOAD_KINDS = [
  'new', // token and policy API, spec 9.1, 9.2.1
  'legacy', // legacy ACL API, spec 9.1, 9.2.4
  'mixed', // legacy and new calls in turn
  'bootstrap', // spec 9.2.1
  'kv-read', // key-value read without the right, spec 9.3 (1.0)
  'service-watch', // blocking query on one service, spec 9.3 (1.0.7)
  'tag-filter', // catalog service query with a tag, spec 9.3 (1.3.0)
  'unknown-field', // a body with a field the endpoint does not know, spec 9.3 (1.7.0)
  'session', // session info and renew, spec 9.3 (1.7.0)
  'ptr-query', // PTR query, spec 9.3 (1.7.0)
  'wrong-method', // spec 9.3 (1.0), 9.4
  'agent-self', // reads Config of agent self, spec 9.3 (1.0)
  'address-translation', // looks for the header and the lan address, spec 9.3 (0.7)
  'intention-list', // spec 9.3 (1.9.0)
  'intention-read', // spec 9.5.2
  'intention-write', // by id, spec 9.5.2, 9.5.3
  'intention-config-write', // config entries of kind service-intentions, spec 9.5.2
] as const

export const workloadSchema = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  kind: z.enum(WORKLOAD_KINDS),
  datacenter: name.optional().describe('Datacenter whose servers it calls, in turn. Default: the primary.'),
  server: name.optional().describe('A single server to call, instead of all in turn.'),
  agent: versionText
    .optional()
    .describe('Version of the client agent that it calls. Absent: it calls the servers directly.'),
  agents: z.array(versionText).min(1).max(20).optional().describe('Several client agents, used in turn.'),
  endpoint: z
    .string()
    .regex(/^([A-Z]+ )?\/v1\/\S+$/, 'expected an endpoint such as PUT /v1/acl/token')
    .optional()
    .describe('Only of `unknown-field`: the endpoint that it calls.')
    .meta({ examples: ['PUT /v1/acl/token'] }),
  field: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .describe('Only of `unknown-field`: the field that the endpoint does not know.'),
  rate: z.number().positive().max(1_000_000).optional().describe('Calls per second. Default 1.'),
  from: seconds.optional().describe('When it starts. Default 0.'),
  to: seconds.optional().describe('When it ends. Default: the end of the simulation.'),
  connections: z
    .int()
    .min(1)
    .max(1_000_000)
    .optional()
    .describe('Connections it keeps open to each server from one address. Default 1.'),
})

export type WorkloadKind = (typeof WORKLOAD_KINDS)[number]
