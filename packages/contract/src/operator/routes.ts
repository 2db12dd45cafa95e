/** The servers of a cluster under the names that operators of existing services know. Decisions: agent. */
import * as z from 'zod'
import { type ContractRoutes, c, del, get, put } from '../route.ts'
import { ignored } from '../shared/fields.ts'
import { query, text, uint64 } from '../shared/query.ts'
import { durationSchema } from '../time/schemas.ts'

const said = (description: string) => z.string().meta({ description })
const counted = (description: string) => z.int().meta({ description, minimum: 0 })
const stated = (description: string) => z.boolean().meta({ description })

const server = {
  ID: said('ID of the node of the server.'),
  Address: said('Address on which clients reach the server, as `host:port`.'),
  Leader: stated('Whether the server runs the jobs that only one may run.'),
  Voter: stated('Always true: any server can be elected.'),
}

const raftConfigurationSchema = z
  .strictObject({
    Servers: z
      .array(
        z
          .strictObject({
            ...server,
            Node: said('Name of the server.'),
            ProtocolVersion: said('A constant that existing clients expect.'),
          })
          .meta({ id: 'RaftServer' }),
      )
      .meta({ description: 'Servers that have not left.' }),
    Index: counted('Always 0.'),
  })
  .meta({ id: 'RaftConfiguration' })

const autopilotHealthSchema = z
  .strictObject({
    Healthy: stated('Whether every server is alive.'),
    FailureTolerance: counted('How many servers may fail: all but one, because any can serve alone.'),
    Servers: z
      .array(
        z
          .strictObject({
            ...server,
            Name: said('Name of the server.'),
            SerfStatus: said('`alive` or `failed`.'),
            Version: said('Service version of the server.'),
            LastContact: said('Time since its last heartbeat, as a duration.'),
            LastTerm: counted('Always 0.'),
            LastIndex: counted('Index up to which the server has read the changes.'),
            Healthy: stated('Whether the server is alive.'),
            StableSince: said('When the server started, or when it was last heard if it failed.'),
          })
          .meta({ id: 'ServerHealth' }),
      )
      .meta({ description: 'Servers that have not left.' }),
  })
  .meta({ id: 'AutopilotHealth' })

const KEPT = 'Stored and shown, without effect: servers that share a database have no Raft.'
const CLEANUP = 'Whether servers that failed are forgotten after three days.'

const autopilotShownSchema = z
  .strictObject({
    CleanupDeadServers: stated(CLEANUP),
    LastContactThreshold: said(KEPT),
    MaxTrailingLogs: counted(KEPT),
    MinQuorum: counted(KEPT),
    ServerStabilizationTime: said(KEPT),
    RedundancyZoneTag: said(KEPT),
    DisableUpgradeMigration: stated(KEPT),
    UpgradeVersionTag: said(KEPT),
    CreateIndex: counted('Index of the first change; 0 before it.'),
    ModifyIndex: counted('Index of the last change; 0 before it. The value for `cas`.'),
  })
  .meta({ id: 'AutopilotConfiguration' })

const TAG_LENGTH_MAX = 128
const kept = {
  duration: durationSchema.optional().meta({ description: KEPT }),
  number: z.int().min(0, { error: 'must be 0 or more' }).optional().meta({ description: KEPT }),
  tag: z.string().max(TAG_LENGTH_MAX).optional().meta({ description: KEPT }),
}

const autopilotWriteSchema = z
  .object({
    CleanupDeadServers: z
      .boolean()
      .optional()
      .meta({ description: `${CLEANUP} Default: false.` }),
    LastContactThreshold: kept.duration,
    MaxTrailingLogs: kept.number,
    MinQuorum: kept.number,
    ServerStabilizationTime: kept.duration,
    RedundancyZoneTag: kept.tag,
    DisableUpgradeMigration: z.boolean().optional().meta({ description: KEPT }),
    UpgradeVersionTag: kept.tag,
    CreateIndex: ignored,
    ModifyIndex: ignored,
  })
  .meta({ id: 'AutopilotWrite' })

const read = { right: 'operator:read', spec: 'extension', errors: [] } as const
const write = { right: 'operator:write', writes: 'own', spec: 'extension' } as const

export const operator = c.router({
  raftConfiguration: get('/v1/operator/raft/configuration', raftConfigurationSchema, {
    summary: 'List the servers as Raft peers',
    description: 'The servers of this datacenter, in the form in which existing clients read Raft peers.',
    query: query({}),
    metadata: read,
  }),
  removePeer: del('/v1/operator/raft/peer', z.string().meta({ description: 'Empty.' }), {
    summary: 'Remove a failed server',
    description:
      'Like force-leave, by the address or ID of the server. Refuses to remove a server that is alive.',
    query: query({
      id: text('ID of the server, as the list of peers shows it.'),
      address: text('Address of the server, as `host:port`. Exactly one of the two is required.'),
    }),
    metadata: {
      ...write,
      answerForm: 'text',
      errors: ['query_invalid', 'not_found', 'field_invalid'],
      referenceStatuses: { query_invalid: 400, not_found: 500 },
    },
  }),
  autopilotHealth: get('/v1/operator/autopilot/health', autopilotHealthSchema, {
    summary: 'Read the health of the servers',
    description: 'The status is 200 if every server is alive, and otherwise 429.',
    query: query({}),
    metadata: { ...read, otherStatuses: [429] },
  }),
  readAutopilot: get('/v1/operator/autopilot/configuration', autopilotShownSchema, {
    summary: 'Read the settings of the cleanup of servers',
    description: 'Only CleanupDeadServers has an effect.',
    query: query({}),
    metadata: read,
  }),
  writeAutopilot: put(
    '/v1/operator/autopilot/configuration',
    z.boolean().meta({ description: 'Whether the settings were written.' }),
    {
      summary: 'Replace the settings of the cleanup of servers',
      description:
        'An absent field becomes empty. Field names match regardless of case and underscores. Answers `false` if `cas` does not match.',
      query: query({ cas: uint64('cas', 'Only replaces settings with this ModifyIndex.') }),
      body: autopilotWriteSchema,
      metadata: { ...write, body: 'json', looseNames: true, errors: ['field_too_long'] },
    },
  ),
} satisfies ContractRoutes)
