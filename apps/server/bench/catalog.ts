/** The data of the catalog cases: services with checks on nodes, and checks that clients report. */
import { call, inParallel, shuffled } from './client.ts'
import type { LoadRequest } from './load.ts'
import type { Measured } from './processes.ts'

const NODES = 1_000
const NAMES = 1_000
const INSTANCES = 10_000
/** TTL checks on the server's own node. */
const HEARTS = 1_000

const nameOf = (i: number) => `web-${i % NAMES}`

/** An instance of a service, on its own node. */
function instance(i: number, Port = 8_000) {
  const Service = nameOf(i)
  const node = (i + Math.floor(i / NAMES)) % NODES
  return {
    Node: { Node: `node-${node}`, Address: `10.0.${node >> 8}.${node & 255}` },
    Service: { ID: Service, Service, Port, Tags: ['v1'], Meta: { team: 'bench' } },
    Check: { CheckID: `service:${Service}`, Name: 'alive', ServiceID: Service, Status: 'passing' },
  }
}

/** Registers 10,000 instances of 1,000 services on 1,000 nodes, each with a check; repeating it changes nothing. */
export async function haveInstances(server: Measured): Promise<void> {
  await inParallel(INSTANCES, 64, (i) => {
    const { Node, Service, Check } = instance(i)
    return call(server, 'PUT', '/catalog/register', { body: { ...Node, Service, Check } })
  })
}

/** Reads the healthy instances of every service, in an order from which no cache can profit. */
export function healthReads(): readonly LoadRequest[] {
  return shuffled(Array.from({ length: NAMES }, (_, i) => nameOf(i))).map((name) => ({
    method: 'GET',
    path: `/v1/health/service/${name}?passing`,
  }))
}

/** The health path of one service, and a change of it. */
export const WATCHED_PATH = `/health/service/${nameOf(0)}`

export async function changeWatched(server: Measured, round: number): Promise<void> {
  const { Node, Service } = instance(0, 9_000 + round)
  await call(server, 'PUT', '/catalog/register', { body: { ...Node, Service } })
}

/** Changes every instance, one per request: the next round changes the port again. */
export function registrations(): readonly LoadRequest[] {
  return Array.from({ length: 3 * INSTANCES }, (_, i) => {
    const { Node, Service } = instance(i % INSTANCES, 10_000 + Math.floor(i / INSTANCES))
    return { method: 'PUT', path: '/v1/catalog/register', body: JSON.stringify({ ...Node, Service }) }
  })
}

/** Registers TTL checks, and reports each with its current status: 100,000 a minute are 1,667 a second. */
export async function heartbeats(server: Measured): Promise<readonly LoadRequest[]> {
  const ids = Array.from({ length: HEARTS }, (_, i) => `heart-${i}`)
  await inParallel(HEARTS, 64, (i) => {
    const body = { ID: ids[i], Name: ids[i], TTL: '1h', Status: 'passing' }
    return call(server, 'PUT', '/agent/check/register', { body })
  })
  return ids.map((id) => ({ method: 'PUT', path: `/v1/agent/check/pass/${id}` }))
}
