import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { anOidcService, SECRET_ID, sentTo } from '../../test/oidc-service.ts'
import { problem } from '../../test/test-server.ts'
import { ContractBroken, LoginFailed } from '../index.ts'
import { beginLogin, completeLogin, type LoginStore } from './browser.ts'

const PAGE = 'https://app.example/back?tab=1'
const LOGIN = { method: 'people', redirectUri: PAGE }

/** A storage of one tab. */
function aStore(): LoginStore & { readonly entries: ReadonlyMap<string, string> } {
  const entries = new Map<string, string>()
  return {
    entries,
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => entries.set(key, value),
    removeItem: (key) => entries.delete(key),
  }
}

let visited: string[]
let location: { href: string; assign: (url: string) => void }
let store: ReturnType<typeof aStore>

beforeEach(() => {
  visited = []
  store = aStore()
  location = { href: PAGE, assign: (url) => visited.push(url) }
  vi.stubGlobal('location', location)
  vi.stubGlobal('sessionStorage', store)
  vi.stubGlobal('history', {
    state: { of: 'the page' },
    replaceState(state: unknown, _: string, url: string) {
      expect(state).toEqual({ of: 'the page' })
      location.href = url
    },
  })
})

afterEach(() => {
  vi.unstubAllGlobals()
})

/** Acts as the provider that sends the browser back. */
function comeBack(parameters: Readonly<Record<string, string>>) {
  location.href = `${PAGE}&${new URLSearchParams(parameters)}#part`
}

async function failureOf(login: Promise<unknown>): Promise<LoginFailed> {
  const error = await login.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(LoginFailed)
  return error as LoginFailed
}

test('a login repeats its nonce, and returns a session with the token that the callback answers', async () => {
  await using server = await anOidcService()
  const client = clientOf(server)
  await beginLogin(client, { ...LOGIN, meta: { from: 'web' }, namespace: 'team' })
  expect(visited).toEqual(['https://idp.example/authorize?state=state-1'])
  comeBack({ state: 'state-1', code: 'a-code', iss: 'https://idp.example' })
  const session = await completeLogin(client)
  await session?.tokens.self()
  expect(await session?.logout()).toBe(true)
  await expect(session?.tokens.self()).rejects.toThrow(TypeError)
  const [begun, completed] = sentTo(server)
  const ClientNonce = begun?.body.ClientNonce
  expect(ClientNonce).toMatch(/^[0-9a-f-]{36}$/)
  expect(begun).toEqual({
    path: 'oidc/auth-url?ns=team',
    body: { AuthMethod: 'people', RedirectURI: PAGE, ClientNonce, Meta: { from: 'web' } },
  })
  expect(completed).toEqual({
    path: 'oidc/callback?ns=team',
    body: { AuthMethod: 'people', State: 'state-1', Code: 'a-code', Iss: 'https://idp.example', ClientNonce },
  })
  expect(server.requests.map(({ headers }) => headers['x-service-token'])).toEqual([
    undefined,
    undefined,
    SECRET_ID,
    SECRET_ID,
  ])
})

test('address and store are cleared before the exchange, so a reload or a second call finds no login', async () => {
  let seen: unknown
  await using server = await anOidcService({
    callback: (response, request) => {
      seen = [location.href, store.entries.size]
      return problem(503, 'provider_unavailable')(response, request)
    },
  })
  const client = clientOf(server)
  await beginLogin(client, LOGIN)
  comeBack({ state: 'state-1', code: 'a-code', session_state: 'x', iss: 'https://idp.example' })
  const [first, second] = await Promise.allSettled([completeLogin(client), completeLogin(client)])
  expect(seen).toEqual([`${PAGE}#part`, 0])
  expect(first).toMatchObject({ status: 'rejected', reason: { code: 'provider_unavailable' } })
  expect(second).toEqual({ status: 'fulfilled', value: undefined })
  expect(await completeLogin(client)).toBeUndefined()
  expect(server.requests).toHaveLength(2)
})

test.each([
  ['that was never given', 'state-7'],
  ['that is used up, as after the back button', 'state-1'],
])('a state %s is not sent to the service', async (_title, state) => {
  await using server = await anOidcService()
  const client = clientOf(server)
  await beginLogin(client, LOGIN)
  comeBack({ state: 'state-1', code: 'a-code' })
  await completeLogin(client)
  comeBack({ state, code: 'stolen-code' })
  const error = await failureOf(completeLogin(client))
  expect([error.reason, location.href]).toEqual(['state_unknown', `${PAGE}#part`])
  expect(server.requests).toHaveLength(2)
})

test('logins of two tabs with one store are completed in any order, each with its own nonce', async () => {
  await using server = await anOidcService()
  const client = clientOf(server)
  const shared = aStore()
  const url = (state: string) => `https://app.example/elsewhere?state=${state}&code=code`
  await beginLogin(client, { ...LOGIN, store: shared })
  await beginLogin(client, { ...LOGIN, store: shared, method: 'others' })
  for (const state of ['state-2', 'state-1']) await completeLogin(client, { store: shared, url: url(state) })
  const [first, second, ...completed] = sentTo(server).map(({ body }) => [
    body.State,
    body.AuthMethod,
    body.ClientNonce,
  ])
  expect(completed).toEqual([
    ['state-2', 'others', second?.[2]],
    ['state-1', 'people', first?.[2]],
  ])
  // If the caller gives a URL, the address of the page is not changed.
  expect(location.href).toBe(PAGE)
})

test('a refusal of the provider is reported in plain text of bounded length, and nothing is sent', async () => {
  await using server = await anOidcService()
  const client = clientOf(server)
  await beginLogin(client, LOGIN)
  await beginLogin(client, LOGIN)
  const description = `not\u001b[2J a member ${'x'.repeat(1_000)}`
  comeBack({ state: 'state-1', error: 'access_denied', error_description: description })
  const error = await failureOf(completeLogin(client))
  expect(error).toMatchObject({ reason: 'provider_refused', providerError: 'access_denied' })
  expect(error.providerDescription).toMatch(/^not \[2J a member x+$/)
  expect(error.providerDescription).toHaveLength(500)
  comeBack({ state: 'state-2', error: 'no\u001b[2J"code"' })
  expect((await failureOf(completeLogin(client))).message).toBe(
    'The provider refused the login: unknown error',
  )
  expect([server.requests.length, store.entries.size]).toEqual([2, 0])
})

test.each([{}, { state: 'state-1' }, { code: 'a-code' }, { error: 'oops' }])(
  'an address with %j is not from a provider, and is not changed',
  async (parameters) => {
    await using server = await anOidcService()
    const client = clientOf(server)
    await beginLogin(client, LOGIN)
    comeBack(parameters)
    const { href } = location
    expect(await completeLogin(client)).toBeUndefined()
    expect([location.href, store.entries.size]).toEqual([href, 1])
  },
)

test('the callback of a method deleted after the login began is refused, without a secret in the error', async () => {
  await using server = await anOidcService({
    callback: problem(403, 'auth_method_unknown', { detail: 'no: a-code state-1' }),
  })
  const client = clientOf(server)
  await beginLogin(client, LOGIN)
  comeBack({ state: 'state-1', code: 'a-code' })
  const error = await completeLogin(client).catch((reason: unknown) => reason)
  expect(error).toMatchObject({ name: 'PermissionDenied', code: 'auth_method_unknown' })
  expect(String(error)).not.toMatch(/a-code|state-1/)
})

test('an aborted beginning does not leave the page and stores nothing; an aborted callback is not sent', async () => {
  await using server = await anOidcService()
  const client = clientOf(server)
  const signal = AbortSignal.abort(new Error('enough'))
  await expect(beginLogin(client, { ...LOGIN, signal })).rejects.toThrow('enough')
  expect([visited, store.entries.size]).toEqual([[], 0])
  await beginLogin(client, LOGIN)
  comeBack({ state: 'state-1', code: 'a-code' })
  await expect(completeLogin(client, { signal })).rejects.toThrow('enough')
  expect(server.requests).toHaveLength(1)
})

test.each(['javascript:alert(1)?state=x', 'https://idp.example/authorize', 'nonsense'])(
  'the browser is not sent to %s',
  async (url) => {
    await using server = await anOidcService({ AuthURL: () => url })
    await expect(beginLogin(clientOf(server), LOGIN)).rejects.toThrow(ContractBroken)
    expect([visited, store.entries.size]).toEqual([[], 0])
  },
)
