import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { json, startServer, type TestServer } from '../../test/test-server.ts'
import type { Client } from '../client.ts'
import { ENDPOINTS, type Endpoint, type EndpointName, endpoint } from '../contract.ts'
import { isWrite } from './call.ts'

let server: TestServer
let client: Client
beforeAll(async () => {
  server = await startServer((response, request) =>
    json(/^\/v1\/(kv|acl\/tokens)/.test(request.url) ? [{}] : {})(response, request),
  )
  client = clientOf(server)
})
afterEach(() => {
  vi.unstubAllGlobals()
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

/** Path and query of the call's request; `undefined` if it is refused as misuse. */
async function urlOf(call: () => Promise<unknown>): Promise<string | undefined> {
  const before = server.requests.length
  await call().catch((error: unknown) => {
    if (!(error instanceof TypeError)) throw error
  })
  return server.requests[before]?.url
}

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('..', '.', '../policies?x=1', 'a/b', 'self', '%2e%2e', 'a?b', 'a#b', '//', 'ü', '\u0000'),
)

test('no accessor escapes its path segment (SDK-01)', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, async (accessorId) => {
      const url = await urlOf(() => client.tokens.read(accessorId))
      if (url === undefined) return
      const path = new URL(url, server.address).pathname
      expect(path.startsWith('/v1/acl/token/')).toBe(true)
      expect(path.split('/')).toHaveLength(5)
      expect(decodeURIComponent(path.slice('/v1/acl/token/'.length))).toBe(accessorId)
    }),
    { numRuns: 200 },
  )
})

test('a key arrives verbatim, with its slashes', async () => {
  await fc.assert(
    fc.asyncProperty(hostile, async (key) => {
      const url = await urlOf(() => client.kv.get(key))
      if (url === undefined) return
      expect(decodeURIComponent(url)).toBe(`/v1/kv/${key}`)
    }),
    { numRuns: 200 },
  )
})

test('query values are encoded', async () => {
  const url = await urlOf(() => client.tokens.list({ policy: 'a&token=x', servicename: 'ü #' }))
  expect(url).toBe('/v1/acl/tokens?policy=a%26token%3Dx&servicename=%C3%BC%20%23')
})

test('an unpaired surrogate in a path or query is a TypeError that names where, and nothing is sent', async () => {
  const before = server.requests.length
  const half = '\ud83d'
  await expect(client.kv.get(`a${half}`)).rejects.toThrow(/^Key .* surrogate/)
  await expect(client.tokens.list({ filter: half })).rejects.toThrow(/^filter .* surrogate/)
  await expect(client.kv.get(`a${half}`)).rejects.toThrow(TypeError)
  expect(server.requests).toHaveLength(before)
})

test('every PUT and DELETE is a write, and every POST but those of logins, logout and new intentions and areas is a read', () => {
  const names = Object.keys(ENDPOINTS) as EndpointName[]
  const posts = names.filter((name) => endpoint(name).method === 'POST')
  expect(posts).toEqual([
    'policies.lint',
    'policies.whatIf',
    'authMethods.explain',
    'login.login',
    'login.logout',
    'login.authUrl',
    'login.callback',
    'decisions.authorize',
    'decisions.whoCan',
    'intentions.create',
    'areas.create',
    'legacy.translate',
  ])
  for (const name of names) {
    const { method }: Endpoint = ENDPOINTS[name]
    const isPosted = /^login\.|^(intentions|areas)\.create$/.test(name)
    expect(isWrite(name)).toBe(method === 'PUT' || method === 'DELETE' || isPosted)
  }
})

/** The `cache` of every request: of a read, of a write and of a watch. */
async function cacheModes(): Promise<unknown[]> {
  const modes: unknown[] = []
  const each = clientOf(server, {
    fetch: (url, init) => {
      modes.push(init.cache)
      return fetch(url, init)
    },
  })
  await each.tokens.self()
  await each.tokens.create()
  const watch = each.policies.watchList()
  await watch.next().catch(() => {})
  await watch.return()
  return modes
}

test('asks that nothing be stored, also by a framework that replaces fetch', async () => {
  expect(await cacheModes()).toEqual(['no-store', 'no-store', 'no-store'])
})

const { Request } = globalThis
test.each([
  [
    'throws on the field',
    class {
      constructor(_: string, init: RequestInit) {
        if ('cache' in init)
          throw new Error("The 'cache' field on 'RequestInitializerDict' is not implemented.")
      }
    },
  ],
  [
    'adds a parameter to the URL instead',
    class {
      readonly url: string
      constructor(url: string, init: RequestInit) {
        this.url = init.cache === 'no-store' ? `${url}?_=1` : url
      }
    },
  ],
  ['has no Request', undefined],
])('leaves out the cache mode on a platform that %s', async (_, platform) => {
  vi.stubGlobal('Request', platform)
  const each = clientOf(server, {
    fetch: async (url, init) => {
      expect(init).not.toHaveProperty('cache')
      return fetch(url, init)
    },
  })
  vi.stubGlobal('Request', Request)
  await each.tokens.self()
})
