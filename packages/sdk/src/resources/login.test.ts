import { afterEach, expect, test, vi } from 'vitest'
import { CALLER_SECRET, clientOf } from '../../test/client.ts'
import { ACCESSOR_ID, aToken } from '../../test/records.ts'
import { json, problem, type Reply, reset, startServer } from '../../test/test-server.ts'
import { Invalid, NotFound, PermissionDenied, Timeout, Unavailable } from '../index.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const MINUTE = 60_000

/** A service whose n-th login returns the secret `s-n`, valid for ten minutes. */
function aService({
  isKnown = () => true,
  login,
}: {
  isKnown?: (secret: string) => boolean | Promise<boolean>
  login?: Reply
} = {}) {
  let logins = 0
  return startServer(async (response, request) => {
    const secret = String(request.headers['x-service-token'])
    if (request.url.startsWith('/v1/acl/login')) {
      if (login && logins > 0) return login(response, request)
      logins += 1
      const times = { CreateTime: '2026-01-31T12:00:00Z', ExpirationTime: '2026-01-31T12:10:00Z' }
      return json(aToken({ SecretID: `s-${logins}`, AuthMethod: 'ci', ...times }))(response, request)
    }
    if (!(await isKnown(secret))) return problem(403, 'caller_unknown')(response, request)
    return json(request.url === '/v1/acl/logout' ? true : aToken({ Description: secret }))(response, request)
  })
}

/** Moves the clock of sessions. */
function aClock() {
  let offset = 0
  const { now } = performance
  vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + offset)
  return { advance: (ms: number) => (offset += ms) }
}

const pathsOf = (server: { readonly requests: readonly { readonly url: string }[] }) =>
  server.requests.map(({ url }) => url.replace('/v1/acl/', ''))

test('a session presents the token of its login, and the configured token is not sent with the login', async () => {
  await using server = await aService()
  const session = await clientOf(server).login({ method: 'ci', bearerToken: 'jwt', meta: { job: '7' } })
  expect([session.accessorId, session.expirationTime]).toEqual([ACCESSOR_ID, '2026-01-31T12:10:00Z'])
  expect((await session.tokens.self()).Description).toBe('s-1')
  expect((await session.withMeta().tokens.self()).value.Description).toBe('s-1')
  const [login] = server.requests
  expect(login?.headers['x-service-token']).toBeUndefined()
  expect(JSON.parse(login?.body ?? '')).toEqual({ AuthMethod: 'ci', BearerToken: 'jwt', Meta: { job: '7' } })
})

test('a session logs in again before its token expires, once for all calls, which do not wait', async () => {
  await using server = await aService()
  const clock = aClock()
  const getCredential = vi.fn(async () => 'jwt')
  const session = await clientOf(server).login({ method: 'ci', getCredential })
  clock.advance(6 * MINUTE)
  await session.tokens.self()
  expect(getCredential).toHaveBeenCalledTimes(1)
  clock.advance(3.5 * MINUTE)
  const due = await Promise.all([1, 2, 3].map(() => session.tokens.self()))
  expect(due.map(({ Description }) => Description)).toEqual(['s-1', 's-1', 's-1'])
  await expect.poll(async () => (await session.tokens.self()).Description).toBe('s-2')
  expect(getCredential).toHaveBeenCalledTimes(2)
})

test('sessions that log in together do not log in again together', async () => {
  await using server = await aService()
  const clock = aClock()
  const renewals: boolean[] = []
  for (const random of [0, 0.99]) {
    vi.spyOn(Math, 'random').mockReturnValue(random)
    const getCredential = vi.fn(async () => 'jwt')
    const session = await clientOf(server).login({ method: 'ci', getCredential })
    clock.advance(8 * MINUTE)
    await session.tokens.self()
    renewals.push(getCredential.mock.calls.length > 1)
    clock.advance(-8 * MINUTE)
    await session.logout()
  }
  expect(renewals).toEqual([true, false])
})

test('a token that the service no longer knows is replaced, once for all calls, and the call repeated', async () => {
  await using server = await aService({ isKnown: (secret) => secret !== 's-1' })
  const getCredential = vi.fn(async () => 'jwt')
  const session = await clientOf(server).login({ method: 'ci', getCredential })
  const found = await Promise.all([session.tokens.self(), session.tokens.self()])
  expect(found.map(({ Description }) => Description)).toEqual(['s-2', 's-2'])
  expect(getCredential).toHaveBeenCalledTimes(2)
})

test('a call that waits for a new login ends with its timeout and its signal', async () => {
  await using server = await aService({ isKnown: () => false })
  let logins = 0
  const getCredential = () => (logins++ === 0 ? 'jwt' : new Promise<string>(() => {}))
  const session = await clientOf(server).login({ method: 'ci', getCredential })
  await expect(session.tokens.self({ timeout: 100 })).rejects.toThrow(Timeout)
  const gone = new AbortController()
  const call = session.tokens.self({ signal: gone.signal })
  await expect.poll(() => server.requests).toHaveLength(3)
  gone.abort(new Error('enough'))
  await expect(call).rejects.toThrow('enough')
})

test('a refusal that comes after the token was replaced does not replace it again', async () => {
  let isReplaced = () => {}
  const replaced = new Promise<void>((resolve) => {
    isReplaced = resolve
  })
  let refusals = 0
  await using server = await aService({
    isKnown: async (secret) => {
      if (secret !== 's-1') return true
      refusals += 1
      if (refusals === 2) await replaced
      return false
    },
  })
  const getCredential = vi.fn(async () => 'jwt')
  const session = await clientOf(server).login({ method: 'ci', getCredential })
  const calls = [session.tokens.self(), session.tokens.self()]
  await Promise.any(calls)
  isReplaced()
  expect((await Promise.all(calls)).map(({ Description }) => Description)).toEqual(['s-2', 's-2'])
  expect(getCredential).toHaveBeenCalledTimes(2)
})

test('a call logs in again once: a service that knows none of the tokens ends it', async () => {
  await using server = await aService({ isKnown: () => false })
  const session = await clientOf(server).login({ method: 'ci', getCredential: () => 'jwt' })
  await expect(session.tokens.self()).rejects.toThrow(PermissionDenied)
  expect(pathsOf(server)).toEqual(['login', 'token/self', 'login', 'token/self'])
})

test('without getCredential a session ends with its token', async () => {
  await using server = await aService({ isKnown: () => false })
  const session = await clientOf(server).login({ method: 'ci', bearerToken: 'jwt' })
  await expect(session.tokens.self()).rejects.toMatchObject({ code: 'caller_unknown' })
  expect(pathsOf(server)).toEqual(['login', 'token/self'])
})

test('a provider that is away does not end a session whose token still works', async () => {
  await using server = await aService({ login: problem(503, 'provider_unavailable') })
  const clock = aClock()
  const session = await clientOf(server, { retries: 0 }).login({ method: 'ci', getCredential: () => 'jwt' })
  clock.advance(9.5 * MINUTE)
  expect((await session.tokens.self()).Description).toBe('s-1')
  clock.advance(MINUTE)
  await expect(session.tokens.self()).rejects.toThrow(Unavailable)
})

test('after a login that failed, calls do not try another before a pause', async () => {
  await using server = await aService({ login: problem(503, 'provider_unavailable') })
  const clock = aClock()
  const getCredential = vi.fn(async () => 'jwt')
  const session = await clientOf(server, { retries: 0 }).login({ method: 'ci', getCredential })
  clock.advance(9 * MINUTE)
  await session.tokens.self()
  await expect.poll(() => pathsOf(server).filter((path) => path === 'login')).toHaveLength(2)
  // Each answer arrives after the answer of the failed login.
  for (let i = 0; i < 5; i += 1) await session.tokens.self()
  expect(getCredential).toHaveBeenCalledTimes(2)
  clock.advance(MINUTE / 2)
  await session.tokens.self()
  await expect.poll(() => getCredential).toHaveBeenCalledTimes(3)
})

test('a login that fails first leaves no doubt about the call: the delete of an absent token is NotFound', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0)
  const logins = [reset(), reset(), reset(), json(aToken({ SecretID: 's-2' }))]
  await using server = await startServer(
    json(aToken({ CreateTime: '2026-01-31T12:00:00Z', ExpirationTime: '2026-01-31T12:00:00Z' })),
    (response, request) =>
      request.url === '/v1/acl/login'
        ? logins.shift()?.(response, request)
        : problem(404, 'not_found')(response, request),
  )
  const session = await clientOf(server).login({ method: 'ci', getCredential: () => 'jwt' })
  await expect(session.tokens.delete(ACCESSOR_ID)).rejects.toThrow(NotFound)
  expect(pathsOf(server)).toEqual(['login', 'login', 'login', 'login', 'login', `token/${ACCESSOR_ID}`])
})

test('a failure of getCredential is that of the login', async () => {
  await using server = await aService()
  const failure = new Error('no file')
  const getCredential = () => Promise.reject(failure)
  await expect(clientOf(server).login({ method: 'ci', getCredential })).rejects.toBe(failure)
  await expect(clientOf(server).login({ method: 'ci' })).rejects.toThrow(TypeError)
})

test('a login is repeated after a failure of the network, and a refused one is not', async () => {
  await using server = await startServer(reset(), problem(403, 'login_refused'))
  const refused = clientOf(server).login({ method: 'ci', bearerToken: 'jwt' })
  await expect(refused).rejects.toMatchObject({ name: 'PermissionDenied', code: 'login_refused' })
  expect(server.requests).toHaveLength(2)
})

test('no error repeats the credential', async () => {
  await using server = await startServer(problem(400, 'field_invalid', { detail: 'bad: my.own.jwt' }))
  const error = await clientOf(server)
    .login({ method: 'ci', bearerToken: 'my.own.jwt' })
    .catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(Invalid)
  expect(String(error)).not.toContain('my.own.jwt')
})

test('the end of its block logs a session out, with its own token; its calls are misuse from then on', async () => {
  await using server = await aService()
  let kept: Awaited<ReturnType<ReturnType<typeof clientOf>['login']>>
  {
    await using session = await clientOf(server).login({ method: 'ci', getCredential: () => 'jwt' })
    kept = session
  }
  expect(pathsOf(server)).toEqual(['login', 'logout'])
  expect(server.requests[1]?.headers['x-service-token']).toBe('s-1')
  await expect(kept.tokens.self()).rejects.toThrow(TypeError)
  expect(server.requests).toHaveLength(2)
})

test('a session that logs out while it gets a credential does not log in with it', async () => {
  await using server = await aService()
  const clock = aClock()
  let give = (_credential: string) => {}
  const credentials = ['jwt', new Promise<string>((resolve) => (give = resolve))]
  const getCredential = vi.fn(async () => (await credentials.shift()) ?? '')
  const session = await clientOf(server).login({ method: 'ci', getCredential })
  clock.advance(11 * MINUTE)
  const call = session.tokens.self()
  await expect.poll(() => getCredential).toHaveBeenCalledTimes(2)
  await session.logout()
  give('jwt')
  await expect(call).rejects.toThrow(TypeError)
  expect(pathsOf(server)).toEqual(['login', 'logout'])
})

test('a session whose token is gone is logged out; a logout that failed can be repeated', async () => {
  let isAway = true
  await using server = await startServer((response, request) => {
    if (request.url === '/v1/acl/login') return json(aToken())(response, request)
    return problem(isAway ? 503 : 403, isAway ? 'unavailable' : 'caller_unknown')(response, request)
  })
  const session = await clientOf(server, { retries: 0 }).login({ method: 'ci', bearerToken: 'jwt' })
  await expect(session.logout()).rejects.toThrow(Unavailable)
  isAway = false
  expect(await session.logout()).toBe(true)
})

test('the token of a login under way is the one that a logout deletes', async () => {
  await using server = await aService()
  const clock = aClock()
  const session = await clientOf(server).login({ method: 'ci', getCredential: () => 'jwt' })
  clock.advance(9.5 * MINUTE)
  await session.tokens.self()
  await expect.poll(() => pathsOf(server)).toContain('login')
  await session.logout()
  const logins = pathsOf(server).filter((path) => path === 'login').length
  expect(server.requests.at(-1)?.headers['x-service-token']).toBe(`s-${logins}`)
})

test('a client logs its own token out; a second attempt that finds it gone is a success', async () => {
  await using server = await startServer(reset(), problem(403, 'caller_unknown'))
  expect(await clientOf(server).logout()).toBe(true)
  expect(server.requests.map(({ headers }) => headers['x-service-token'])).toEqual([
    CALLER_SECRET,
    CALLER_SECRET,
  ])
  await using other = await startServer(problem(403, 'caller_unknown'))
  await expect(clientOf(other).logout()).rejects.toThrow(PermissionDenied)
})
