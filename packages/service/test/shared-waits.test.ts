/** Equal waits are evaluated once, and each gets the reply that it would get alone. */
import { REDACTED_SECRET_ID } from '@latchkey/contract'
import type { WireReply, WireRequest } from '@latchkey/service'
import { settle } from '@latchkey/testkit/service/virtual-clock'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { afterEach, expect, test, vi } from 'vitest'
import { SharedAnswers } from '../src/blocking/blocking.ts'
import { Admission } from '../src/caller/admission.ts'

const HEADERS = { 'x-service-token': MANAGEMENT } as const

let ids = 0

function waiting(
  path: string,
  headers: Readonly<Record<string, string>> = HEADERS,
  alike: string | null = JSON.stringify(headers),
): WireRequest {
  ids += 1
  return {
    method: 'GET',
    url: `/v1${path}`,
    header: (name) => headers[name],
    readBody: () => Promise.reject(new Error('a read has no body')),
    requestId: `request-${ids}`,
    alike: alike ?? undefined,
  }
}

/** A token to watch, and requests that wait for it to change. */
async function held(world: World, requestsOf: (path: string) => readonly WireRequest[]) {
  const token = await world.token({ Description: 'first' })
  const path = `/acl/token/${token.AccessorID}`
  const requests = requestsOf(`${path}?index=${world.store.tableIndex('tokens')}`)
  const replies = requests.map((request) => world.service.handle(request))
  await settle()
  return { token, path, requests, replies }
}

afterEach(() => {
  vi.restoreAllMocks()
})

test('equal waits are evaluated once, and their replies differ only in the request ID', async () => {
  const world = await aWorld()
  const { path, requests, replies } = await held(world, (url) =>
    Array.from({ length: 5 }, () => waiting(url)),
  )
  const peek = vi.spyOn(Admission.prototype, 'peek')
  await world.manage('PUT', path, { Description: 'second' })
  const answers = await Promise.all(replies)
  const evaluated = peek.mock.calls.filter(([asked]) => asked.request.url.includes('index='))
  expect(evaluated).toHaveLength(1)
  const withoutId = ({ headers, ...rest }: WireReply) => ({ ...rest, ...headers, 'X-Request-Id': '' })
  expect(new Set(answers.map((answer) => JSON.stringify(withoutId(answer)))).size).toBe(1)
  expect(String(answers[0]?.body)).toContain('second')
  expect(answers.map(({ headers }) => headers['X-Request-Id'])).toEqual(
    requests.map(({ requestId }) => requestId),
  )
})

test('waits with other headers, another path, or without the mark are evaluated separately', async () => {
  const world = await aWorld()
  const other = await world.token({ Description: 'other' })
  const policy = await world.policy({ Name: 'reader', Rules: 'acl = "read"' })
  const reader = await world.token({ Policies: [{ ID: policy.ID }] })
  const { replies, path } = await held(world, (url) => [
    waiting(url),
    waiting(url, { 'x-service-token': reader.SecretID }),
    waiting(url.replace('?', '?pretty&')),
    waiting(url, HEADERS, null),
    waiting(`/acl/token/${other.AccessorID}?index=${world.store.tableIndex('tokens')}&wait=1ms`),
  ])
  await world.manage('PUT', path, { Description: 'second' })
  await world.clock.advance(100)
  const [shown, redacted, pretty, alone, unchanged] = await Promise.all(replies)
  const secretIn = (reply: WireReply | undefined) => JSON.parse(String(reply?.body)).SecretID
  expect(secretIn(redacted)).toBe(REDACTED_SECRET_ID)
  expect(secretIn(shown)).not.toBe(REDACTED_SECRET_ID)
  expect(alone?.body).toEqual(shown?.body)
  expect(JSON.parse(String(pretty?.body))).toEqual(JSON.parse(String(shown?.body)))
  expect(String(pretty?.body).length).toBeGreaterThan(String(shown?.body).length)
  expect(JSON.parse(String(unchanged?.body))).toMatchObject({ Description: 'other' })
})

test('no reply is reused after a change, or after the token of its caller expired', async () => {
  const world = await aWorld()
  const caller = await world.token({ Policies: [{ Name: 'global-management' }], ExpirationTTL: '2m' })
  const headers = { 'x-service-token': caller.SecretID }
  const { replies, path } = await held(world, (url) => [waiting(url, headers)])
  await world.manage('PUT', path, { Description: 'second' })
  const [first] = await Promise.all(replies)
  expect(first?.status).toBe(200)
  const url = `${path}?index=1`
  expect((await world.service.handle(waiting(url, headers))).body).toEqual(first?.body)
  await world.manage('PUT', path, { Description: 'third' })
  expect(String((await world.service.handle(waiting(url, headers))).body)).toContain('third')
  await world.clock.advance(120_000)
  expect((await world.service.handle(waiting(url, headers))).status).toBe(403)
})

test('COH-02: no reply is reused by a process that may no longer answer from memory', async () => {
  const world = await aWorld()
  const token = await world.token()
  const ask = () => world.service.handle(waiting(`/acl/token/${token.AccessorID}?index=1`))
  const reused = vi.spyOn(SharedAnswers.prototype, 'of')
  await ask()
  await ask()
  expect(reused.mock.results.map(({ value }) => value !== undefined)).toEqual([false, true])
  const { memory } = world.store
  if (!memory) throw new TypeError('this store keeps nothing in memory')
  vi.spyOn(memory, 'freshness').mockReturnValue(undefined)
  expect((await ask()).status).toBe(200)
  expect(reused).toHaveBeenCalledTimes(2)
})
