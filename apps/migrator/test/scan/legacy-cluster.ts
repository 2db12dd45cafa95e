/** An HTTP server with the documented answers of a legacy cluster of two datacenters, for what our own server has not. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'

export const SECRET = 'canary-93be'
export const TOKEN = `${SECRET}-management`

const member = (Name: string, Addr: string, tags: Record<string, string>, Status = 1) => ({
  Name,
  Addr,
  Port: 8301,
  Tags: { vsn: '2', ...tags },
  Status,
  ProtocolMin: 1,
  ProtocolMax: 5,
  ProtocolCur: 2,
})
const server = (Name: string, Addr: string, build: string, dc: string, Status = 1) =>
  member(Name, Addr, { role: 'consul', dc, build, port: '8300', id: `id-of-${Name}`, expect: '3' }, Status)

const self = {
  Config: {
    Datacenter: 'east',
    NodeName: 's1',
    NodeID: 'id-of-s1',
    Revision: 'f2b13f302',
    Server: true,
    Version: '1.3.1',
  },
  DebugConfig: {
    ACLDatacenter: 'east',
    ACLDefaultPolicy: 'allow',
    ACLMasterToken: 'hidden',
    ConnectEnabled: false,
  },
  Stats: { consul: { server: 'true' } },
  Member: server('s1', '10.0.0.1', '1.3.1:f2b13f30', 'east'),
  Meta: { 'consul-network-segment': '' },
}
const lan = [
  server('s1', '10.0.0.1', '1.3.1:f2b13f30', 'east'),
  server('s2', '10.0.0.2', '1.3.1:f2b13f30', 'east'),
  server('s3', '10.0.0.3', '1.2.3:48d287ef', 'east', 4),
  member('web 1', '10.0.0.9', { role: 'node', dc: 'east', build: '1.2.3:48d287ef' }),
]
const wan = [
  server('s1.east', '10.0.0.1', '1.3.1:f2b13f30', 'east'),
  server('s2.east', '10.0.0.2', '1.3.1:f2b13f30', 'east'),
  server('s1.west', '10.1.0.1', '1.2.3:48d287ef', 'west'),
]
const replication = (fields: object) => ({
  Enabled: false,
  Running: false,
  SourceDatacenter: '',
  ReplicatedIndex: 0,
  LastSuccess: '0001-01-01T00:00:00Z',
  LastError: '0001-01-01T00:00:00Z',
  ...fields,
})
const TOKENS = [
  { ID: 'anonymous', Name: 'Anonymous Token', Type: 'client', Rules: '', CreateIndex: 4, ModifyIndex: 4 },
  { ID: TOKEN, Name: 'Master Token', Type: 'management', Rules: '', CreateIndex: 5, ModifyIndex: 5 },
  {
    ID: `${SECRET}-1`,
    Name: `job ${SECRET}-1`,
    Type: 'client',
    Rules: 'key "a/" { policy = "read" }',
    CreateIndex: 9,
    ModifyIndex: 9,
  },
]

const ANSWERS: Readonly<Record<string, unknown>> = {
  '/v1/agent/self': self,
  '/v1/agent/members': lan,
  '/v1/agent/members?wan=1': wan,
  '/v1/catalog/datacenters': ['east', 'west'],
  '/v1/status/leader': '10.0.0.2:8300',
  '/v1/status/peers': ['10.0.0.1:8300', '10.0.0.2:8300'],
  '/v1/acl/replication': replication({}),
  '/v1/status/leader?dc=west': '10.1.0.1:8300',
  '/v1/status/peers?dc=west': ['10.1.0.1:8300'],
  '/v1/acl/replication?dc=west': replication({
    Enabled: true,
    Running: true,
    SourceDatacenter: 'east',
    LastSuccess: '2026-11-21T04:00:00Z',
  }),
  '/v1/acl/list': TOKENS,
}
/** Requests that need a token. */
const PROTECTED: readonly string[] = ['/v1/agent/self', '/v1/acl/list']

/** Answers a request in another way; undefined to answer as the cluster does. */
export type Override = (request: IncomingMessage, response: ServerResponse) => boolean | undefined

export interface LegacyCluster {
  readonly url: string
  readonly server: Server
  /** Requests so far: `METHOD path`. */
  readonly seen: string[]
}

/** Starts the server on a free port. @param override what differs from the recorded answers. */
export async function startLegacyCluster(override: Override = () => undefined): Promise<LegacyCluster> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    const { url = '', method, headers } = request
    seen.push(`${method} ${url}`)
    if (override(request, response) === true) return
    const answer = ANSWERS[url]
    if (answer === undefined) response.writeHead(404).end()
    else if (PROTECTED.includes(url) && headers['x-consul-token'] !== TOKEN) {
      response.writeHead(403, { 'Content-Type': 'text/plain' }).end('Permission denied')
    } else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
  })
  const port = await listenOnFreePort(server)
  return { url: `http://127.0.0.1:${port}`, server, seen }
}
