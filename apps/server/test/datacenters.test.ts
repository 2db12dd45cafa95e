/** Two datacenters, each with its own database and process: `?dc=`. Decisions: datacenters. */

import { freePorts } from '@latchkey/testkit/process/ports'
import type { RunningServer } from '@latchkey/testkit/process/server-process'
import { describe, expect, test } from 'vitest'
import { exchange } from './raw-http.ts'
import { startTestServer } from './server.ts'
import { MANAGEMENT } from './shared-env.ts'

/** A management token of both datacenters; local in dc1. */
const LOCAL_HERE = '22222222-2222-4333-8444-555555555555'
/** A local management token of dc2, unknown in dc1. */
const LOCAL_THERE = '33333333-2222-4333-8444-555555555555'

const [port1 = 0, port2 = 0, closed = 0] = await freePorts(3)
const LATCHKEY_DATACENTERS = [
  `dc1=http://127.0.0.1:${port1}`,
  `dc2=http://127.0.0.1:${port2}`,
  `dc3=http://127.0.0.1:${closed}`,
  `wrong=http://127.0.0.1:${port1}`,
].join(',')
const start = (datacenter: string, port: number) =>
  startTestServer({ PORT: String(port), LATCHKEY_DATACENTER: datacenter, LATCHKEY_DATACENTERS })
const dc1 = await start('dc1', port1)
const dc2 = await start('dc2', port2)
const Policies = [{ Name: 'global-management' }]
await managed(dc1, 'PUT', '/acl/token', { SecretID: LOCAL_HERE, Local: true, Policies })
await managed(dc2, 'PUT', '/acl/token', { SecretID: LOCAL_HERE, Policies })
await managed(dc2, 'PUT', '/acl/token', { SecretID: LOCAL_THERE, Local: true, Policies })

async function managed(server: RunningServer, method: string, path: string, body?: unknown) {
  const answer = await server.call(method, path, { token: MANAGEMENT, body })
  expect(answer, `${method} ${path}`).toMatchObject({ status: 200 })
  return answer.body
}

interface Asked {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly body?: string
}

/** Sends a request to dc1, with the management token unless other headers are given. */
async function ask(path: string, { method = 'GET', headers, body }: Asked = {}) {
  const response = await fetch(`${dc1.url}/v1${path}`, {
    method,
    headers: { Accept: 'application/problem+json', ...(headers ?? { 'X-Service-Token': MANAGEMENT }) },
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, code: codeOf(text) }
}

function codeOf(text: string): unknown {
  try {
    return JSON.parse(text).code
  } catch {
    return undefined
  }
}

test('the list of datacenters begins with this one, followed by the others in the order of the setting', async () => {
  expect(await managed(dc1, 'GET', '/catalog/datacenters')).toEqual(['dc1', 'dc2', 'dc3', 'wrong'])
  expect(await managed(dc2, 'GET', '/catalog/datacenters')).toEqual(['dc2', 'dc1', 'dc3', 'wrong'])
})

test('writes and reads happen in the datacenter that dc names, and nowhere else', async () => {
  expect(await managed(dc1, 'PUT', '/kv/place/a%20b?dc=dc2&flags=7', 'there')).toBe(true)
  expect((await dc1.call('GET', '/kv/place/?keys', { token: MANAGEMENT })).status).toBe(404)
  expect(await managed(dc2, 'GET', '/kv/place/?keys')).toEqual(['place/a b'])
  const policy = await managed(dc1, 'PUT', '/acl/policy?dc=dc2', { Name: 'there', Rules: 'acl = "read"' })
  expect(await managed(dc2, 'GET', `/acl/policy/${policy.ID}`)).toEqual(policy)
  expect((await dc1.call('GET', `/acl/policy/${policy.ID}`, { token: MANAGEMENT })).status).toBe(404)
  expect(await managed(dc1, 'DELETE', `/acl/policy/${policy.ID}?dc=dc2`)).toBe(true)
})

test.each(['dots/../key', 'dots/%2e%2e/acl/bootstrap'])(
  'SSRF-01: PUT /v1/kv/%s writes the key of that name in the other datacenter, and reaches no other endpoint',
  async (path) => {
    const lines = [
      `PUT /v1/kv/${path}?dc=dc2 HTTP/1.1`,
      `Host: ${new URL(dc1.url).host}`,
      `X-Service-Token: ${MANAGEMENT}`,
      'Content-Length: 4',
      'Connection: close',
    ]
    const { statuses } = await exchange(Number(new URL(dc1.url).port), [`${lines.join('\r\n')}\r\n\r\nthat`])
    expect(statuses).toEqual([200])
    expect(await managed(dc2, 'GET', '/kv/dots/?keys')).toContain(decodeURIComponent(path))
  },
)

test('an answer has the index, the freshness and the bytes of the other datacenter, with headers of the family of the request', async () => {
  await managed(dc2, 'PUT', '/acl/policy', { Name: 'newer' })
  const direct = await fetch(`${dc2.url}/v1/acl/policies`, { headers: { 'X-Consul-Token': MANAGEMENT } })
  const { headers, text } = await ask('/acl/policies?dc=dc2', { headers: { 'X-Consul-Token': MANAGEMENT } })
  expect(text).toBe(await direct.text())
  for (const name of ['index', 'knownleader', 'lastcontact', 'default-acl-policy']) {
    expect(headers.get(`x-consul-${name}`), name).toBe(direct.headers.get(`x-consul-${name}`))
  }
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('content-type')).toBe('application/json')
})

describe('SEC-03: tokens', () => {
  test('a secret that is unknown here is sent, because the other datacenter may know it', async () => {
    expect((await dc1.call('GET', '/acl/token/self', { token: LOCAL_THERE })).status).toBe(403)
    const self = await dc1.call('GET', '/acl/token/self?dc=dc2', { token: LOCAL_THERE })
    expect(self).toMatchObject({ status: 200, body: { SecretID: LOCAL_THERE, Local: true } })
  })
})

describe('refusals', () => {
  test('400 datacenter_unknown: an address that leads to a server of another datacenter, which does not forward again', async () => {
    const { status, code, text } = await ask('/kv/place/key?dc=wrong', { method: 'PUT', body: 'lost' })
    expect({ status, code }).toEqual({ status: 400, code: 'datacenter_unknown' })
    expect(text).toContain('forwarded twice')
  })
})
