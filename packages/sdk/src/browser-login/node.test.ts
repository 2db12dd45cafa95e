import { expect, test, vi } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { anOidcService, SECRET_ID, sentTo } from '../../test/oidc-service.ts'
import { aToken } from '../../test/records.ts'
import { json, problem, startServer } from '../../test/test-server.ts'
import { loginThroughBrowser, type TerminalLoginOptions } from './node.ts'

const ANY_PORT = 'http://127.0.0.1:0/oidc/callback'
const RETURNED = { state: 'state-1', code: 'a-code', iss: 'https://idp.example' }

type Service = Awaited<ReturnType<typeof anOidcService>>

/** A browser that collects the pages that the listener returns. */
function aBrowser(server: Service) {
  const pages: Response[] = []
  const redirectUri = () => String(sentTo(server)[0]?.body.RedirectURI)
  const get = async (url: string, init?: RequestInit) => {
    const page = await fetch(url, init)
    pages.push(page)
    return page
  }
  return {
    pages,
    redirectUri,
    get,
    comeBack: (parameters: Readonly<Record<string, string>> = RETURNED) => {
      const uri = redirectUri()
      return get(`${uri}${uri.includes('?') ? '&' : '?'}${new URLSearchParams(parameters)}`)
    },
  }
}

function logIn(server: Service, options: Partial<TerminalLoginOptions>) {
  const open = () => undefined
  return loginThroughBrowser(clientOf(server), {
    method: 'people',
    redirectUris: [ANY_PORT],
    open,
    ...options,
  })
}

/** Whether no login listens at this URL. Another program may have taken the port. */
const isClosed = (url: string) =>
  fetch(url).then(
    async (page) => !(await page.text()).includes('<title>Login</title>'),
    () => true,
  )

test('the browser is opened at the provider, and its return gives a session', async () => {
  await using server = await anOidcService()
  const browser = aBrowser(server)
  const opened: string[] = []
  const redirectUris = ['http://localhost:0/cb?tab=1']
  const session = await logIn(server, {
    redirectUris,
    meta: { from: 'cli' },
    open: async (url) => {
      opened.push(url)
      await browser.comeBack()
    },
  })
  expect(opened).toEqual(['https://idp.example/authorize?state=state-1'])
  const [begun, completed] = sentTo(server)
  expect(begun?.body).toMatchObject({
    AuthMethod: 'people',
    RedirectURI: expect.stringMatching(/^http:\/\/localhost:[1-9]\d+\/cb\?tab=1$/),
    Meta: { from: 'cli' },
  })
  expect(completed?.body).toEqual({
    AuthMethod: 'people',
    State: 'state-1',
    Code: 'a-code',
    Iss: 'https://idp.example',
    ClientNonce: begun?.body.ClientNonce,
  })
  const page = await vi.waitFor(() => browser.pages[0] ?? expect.fail('no page yet'), { timeout: 60_000 })
  expect([page.status, page.headers.get('cache-control')]).toEqual([200, 'no-store'])
  const text = await page.text()
  expect(text).toContain('You are logged in')
  expect(text).not.toMatch(/state-1|a-code|c0ffee/)
  expect(await isClosed(browser.redirectUri())).toBe(true)
  await session.tokens.self()
  expect(server.requests.at(-1)?.headers['x-service-token']).toBe(SECRET_ID)
})

test('other requests are refused and do not end the wait, and a second return does not end the login', async () => {
  await using server = await anOidcService({
    callback: async (response, request) => {
      await browser.comeBack()
      return json(aToken())(response, request)
    },
  })
  const browser = aBrowser(server)
  await logIn(server, {
    open: async () => {
      const { origin } = new URL(browser.redirectUri())
      await browser.get(`${origin}/favicon.ico`)
      await browser.get(`${origin}//[/oidc/callback?state=state-1&code=x`)
      await browser.get(`${browser.redirectUri()}?state=state-1&code=x`, { method: 'POST' })
      await browser.get(browser.redirectUri())
      await browser.comeBack({ state: 'state-7', code: 'x' })
      await browser.comeBack({ state: 'state-7', error: 'access_denied' })
      await browser.comeBack()
    },
  })
  await expect.poll(() => browser.pages).toHaveLength(8)
  expect(browser.pages.map(({ status }) => status)).toEqual([404, 404, 404, 400, 400, 400, 400, 200])
  expect(sentTo(server).map(({ path }) => path)).toEqual(['oidc/auth-url', 'oidc/callback'])
})

test('a refusal of the provider, or of the service, is that of the login; the page does not say why', async () => {
  await using server = await anOidcService({ callback: problem(403, 'auth_method_unknown') })
  const outcomes = [
    [
      { state: 'state-1', error: 'access_denied' },
      { reason: 'provider_refused', providerError: 'access_denied' },
    ],
    [
      { state: 'state-2', code: 'a-code' },
      { name: 'PermissionDenied', code: 'auth_method_unknown' },
    ],
  ] as const
  for (const [returned, expected] of outcomes) {
    let page: Response | undefined
    const open = async () => {
      const { RedirectURI } = sentTo(server).at(-1)?.body ?? {}
      page = await fetch(`${RedirectURI}?${new URLSearchParams(returned)}`)
    }
    await expect(logIn(server, { open })).rejects.toMatchObject(expected)
    await expect.poll(() => page?.status).toBe(400)
    expect(await page?.text()).toContain('The login failed.')
  }
})

test('a timeout, an abort or a failure to open the browser ends the wait, and the port is closed', async () => {
  await using server = await anOidcService()
  const enough = new Error('enough')
  const controller = new AbortController()
  const ends: readonly [Partial<TerminalLoginOptions>, object][] = [
    [{ wait: 20 }, { name: 'LoginFailed', reason: 'timed_out' }],
    [{ signal: controller.signal, open: () => controller.abort(enough) }, enough],
    [{ signal: AbortSignal.abort(enough) }, enough],
    [{ open: () => Promise.reject(enough) }, enough],
    [
      {
        open: () => {
          throw enough
        },
      },
      enough,
    ],
  ]
  for (const [options, expected] of ends) {
    await expect(logIn(server, options)).rejects.toMatchObject(expected)
    for (const { body } of sentTo(server)) expect(await isClosed(body.RedirectURI)).toBe(true)
  }
  await expect(logIn(server, { wait: 0 })).rejects.toThrow(TypeError)
})

test('the first redirect URI with a free port is used; if no port is free, nothing is sent', async () => {
  await using server = await anOidcService()
  await using other = await startServer()
  const taken = `${other.address}/oidc/callback`
  const redirectUris = [taken, taken.replace('127.0.0.1', 'localhost')]
  await expect(logIn(server, { redirectUris })).rejects.toMatchObject({ reason: 'port_in_use' })
  expect(server.requests).toEqual([])
  const browser = aBrowser(server)
  await logIn(server, { redirectUris: [...redirectUris, ANY_PORT], open: () => browser.comeBack() })
  expect(browser.redirectUri()).toMatch(/^http:\/\/127\.0\.0\.1:/)
})

test.each([
  'https://127.0.0.1:8550/cb',
  'http://app.example:8550/cb',
  'http://127.0.0.1@app.example/cb',
  'http://127.0.0.1:8550@app.example/cb',
  'http://localhost.app.example/cb',
  'http://0.0.0.0:8550/cb',
  'http://127.0.0.1:85500/cb',
])('%s is misuse', async (uri) => {
  await using server = await anOidcService()
  await expect(logIn(server, { redirectUris: [uri] })).rejects.toThrow(TypeError)
  await expect(logIn(server, { redirectUris: [] })).rejects.toThrow(TypeError)
})
