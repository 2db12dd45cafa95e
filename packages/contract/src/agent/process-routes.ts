/** The process itself: membership, machine and shutdown. Spec 9.4. */
import * as z from 'zod'
import { type ContractRoutes, c, get, put } from '../route.ts'
import { flag, query } from '../shared/query.ts'
import { agentHostSchema } from './routes.ts'

const row = { methodGate: 'http.enforceMethods', spec: '9.4' } as const
const extra = { spec: 'extension' } as const
const done = z.string().meta({ description: 'Empty.' })

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
    description: 'Refused for a live process. Failed members are also removed automatically after a while.',
    query: query({ prune: flag('Accepted for existing clients, without effect.') }),
    metadata: {
      right: 'operator:write',
      writes: 'own',
      answerForm: 'text',
      ...row,
      subject: 'node name',
      errors: ['id_missing', 'not_found', 'field_invalid'],
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
