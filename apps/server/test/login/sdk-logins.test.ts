/** The SDK's login helpers with the HTTP server, a real OpenID provider and a browser. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type OpenIdProvider,
  startOpenIdProvider,
} from '@latchkey/testkit/login/openid-provider'
import { findBrowser } from '@latchkey/testkit/process/find-browser'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { aWorld, type World } from '@latchkey/testkit/service/world'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApp } from '../../src/http/app.ts'
import { HostGuard } from '../../src/http/host-guard.ts'
import { OpenIdClient } from '../../src/login/oidc/openid-client.ts'
import { Outgoing } from '../../src/outgoing/outgoing.ts'
import { appOptions } from '../app-options.ts'
import { type ServedPage, servePage } from './sdk-pages.ts'

const executablePath = findBrowser()
if (executablePath === undefined) {
  console.warn('logins in a browser: skipped, no Chromium found (LATCHKEY_BROWSER names one)')
}

let world: World
let provider: OpenIdProvider
let page: ServedPage
const server = createServer()
let address: string

/** Shows the outcome in its title. */
const scriptFor = (redirectUri: string) => `
  import { createClient } from '@latchkey/sdk'
  import { beginLogin, completeLogin } from '@latchkey/sdk/browser'
  const client = createClient({ address: '${address}' })
  globalThis.begin = () => beginLogin(client, { method: 'people', redirectUri: '${redirectUri}' })
  try {
    globalThis.session = await completeLogin(client)
    const token = await globalThis.session?.tokens.self()
    document.title = token?.ServiceIdentities[0].ServiceName ?? 'logged out'
  } catch (error) {
    document.title = error.reason ?? String(error)
  }`

beforeAll(async () => {
  page = await servePage(scriptFor)
  const redirectUris = [page.url]
  provider = await startOpenIdProvider({ redirectUris })
  world = await aWorld({
    edition: 'extended',
    // The provider uses the machine's clock.
    startAt: Date.now(),
    identity: { oidc: new OpenIdClient(new Outgoing({ allowHttp: true })) },
  })
  const corsOrigins = [page.origin]
  server.on(
    'request',
    createApp(
      appOptions(world.service, {
        guard: new HostGuard({ host: '127.0.0.1', allowedHosts: [], allowedOrigins: corsOrigins }),
        corsOrigins,
      }),
    ).listener,
  )
  address = `http://127.0.0.1:${await listenOnFreePort(server)}`
  const Config = {
    OIDCDiscoveryURL: provider.issuer,
    OIDCClientID: CLIENT_ID,
    OIDCClientSecret: CLIENT_SECRET,
    OIDCScopes: ['profile'],
    AllowedRedirectURIs: redirectUris,
    ClaimMappings: { team: 'team' },
  }
  await world.manage('PUT', '/acl/auth-method', { Name: 'people', Type: 'oidc', MaxTokenTTL: '1h', Config })
  const rule = { AuthMethod: 'people', BindType: 'service', BindName: '${value.team}' }
  await world.manage('PUT', '/acl/binding-rule', rule)
})

afterAll(async () => {
  for (const each of [server, page.server]) {
    each.closeAllConnections()
    await once(each.close(), 'close')
  }
  await provider.close()
})

const tokensMade = () => world.store.countTokens({ authMethod: 'people' })

test.skipIf(executablePath === undefined)(
  'from a web page in Chromium: through the pages of the provider and back, once',
  async () => {
    const browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
    try {
      const context = await browser.newContext()
      context.setDefaultTimeout(120_000)
      const tab = await context.newPage()
      const titled = async (in_: typeof tab) => {
        await in_.waitForFunction("document.title !== 'waiting'")
        return in_.title()
      }
      await tab.goto(page.url)
      expect(await titled(tab)).toBe('logged out')
      await tab.evaluate('begin()')
      await tab.fill('input[name=login]', 'alice')
      await tab.fill('input[name=password]', 'any')
      await tab.click('button[type=submit]')
      let returned = ''
      tab.on('request', (request) => {
        if (request.url().includes('&code=')) returned = request.url()
      })
      await tab.click('button[type=submit]')
      await tab.waitForURL(page.url)
      expect(await titled(tab)).toBe('alice-team')
      expect(await tab.evaluate('sessionStorage.length')).toBe(0)
      expect(await tokensMade()).toBe(1)
      // Neither a reload nor the return URL, in this tab or another, is a login.
      await tab.reload()
      expect(await titled(tab)).toBe('logged out')
      expect(returned).toContain('&state=')
      for (const other of [tab, await browser.newPage()]) {
        await other.goto(returned)
        expect([await titled(other), other.url()]).toEqual(['state_unknown', page.url])
      }
      expect(await tokensMade()).toBe(1)
    } finally {
      await browser.close()
    }
  },
)
