/** What callers with few rights are offered, in Chromium on the mocks. */
import type { Page } from 'playwright-core'
import { describe } from 'vitest'
import { axeViolations, executablePath, signIn } from './browser.ts'
import { mocked, ORIGIN } from './mocked.ts'
import { go } from './pages.ts'

const ALWAYS = ['Overview', 'Ask', 'Datacenters']
const ACCESS = ['Tokens', 'Policies', 'Roles', 'Login methods', 'Upgrade']

type Creates = readonly [key: boolean, intention: boolean]

/** The rules of callers, the pages that they are offered besides {@link ALWAYS}, and what they can create. */
const CALLERS: readonly (readonly [
  name: string,
  rules: string,
  pages: readonly string[],
  creates: Creates,
])[] = [
  ['no rights', '', [], [false, false]],
  ['one tree of keys', 'key_prefix "shop/" { policy = "write" }', ['Keys and values'], [true, false]],
  [
    'one service, read',
    'service "orders" { policy = "read" }\nnode "app-1" { policy = "read" }',
    ['Services', 'Nodes', 'Intentions'],
    [false, false],
  ],
  [
    'one service and its intentions',
    'service "orders" {\n  policy = "write"\n  intentions = "write"\n}',
    ['Intentions'],
    [false, true],
  ],
  ['acl:read', 'acl = "read"', ACCESS, [false, false]],
  [
    'read-only',
    ['key', 'service', 'node', 'session']
      .map((kind) => `${kind}_prefix "" { policy = "read" }`)
      .concat('acl = "read"', 'operator = "read"')
      .join('\n'),
    [...ACCESS, 'Keys and values', 'Sessions and locks', 'Services', 'Nodes', 'Intentions', 'Namespaces'],
    [false, false],
  ],
]

const offered = async (page: Page) => {
  const links = await page.locator('nav.side .nav-link').allInnerTexts()
  return links.map((link) => link.trim()).sort()
}

describe.skipIf(executablePath === undefined)('rights', () => {
  for (const [name, rules, pages, creates] of CALLERS) {
    mocked(`a caller with ${name} is offered what it may use`, async ({ page, mocks, expect }) => {
      const { client } = mocks
      await client.kv.put('shop/theme', 'x')
      await client.catalog.register({ Node: 'app-1', Address: '10.0.0.1', Service: { Service: 'orders' } })
      await client.intentions.create({ SourceName: 'web', DestinationName: 'orders', Action: 'allow' })
      await client.sessions.create({ Node: 'app-1' })
      await client.policies.create({ Name: 'own', Rules: rules })
      const { SecretID } = await client.tokens.create({ Description: 'Caller', Policies: [{ Name: 'own' }] })
      await mocks.open('/', SecretID)
      await expect.poll(() => offered(page)).toEqual([...ALWAYS, ...pages].sort())

      await page.locator('nav.side .who').click()
      await page.getByRole('menuitem', { name: 'My token' }).click()
      await page.getByRole('heading', { name: 'Caller' }).waitFor()
      await page.getByText('own', { exact: true }).first().waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)
      expect(await axeViolations(page)).toEqual([])

      await go(page, '/kv')
      const createKey = page.getByRole('button', { name: 'Create key' })
      await page.getByRole('heading', { name: 'Keys and values' }).waitFor()
      await expect.poll(() => createKey.isVisible()).toBe(creates[0])
      await go(page, '/intentions')
      const createIntention = page.getByRole('button', { name: 'Create intention' })
      await page.getByRole('heading', { name: 'Intentions', exact: true }).first().waitFor()
      await expect.poll(() => createIntention.isVisible()).toBe(creates[1])
      expect(await page.getByRole('button', { name: 'Delete intention' }).count()).toBe(creates[1] ? 1 : 0)
    })
  }

  mocked('a page that the token may not use says so at its address', async ({ page, mocks, expect }) => {
    const { SecretID } = await mocks.client.tokens.create({ Description: 'Caller' })
    const policy = await mocks.client.policies.create({ Name: 'other' })
    const closed = ['/tokens', '/policies', `/policies/${policy.ID}`, '/policies/new', '/roles']
    await mocks.open('/tokens', SecretID)
    for (const path of [...closed, '/login-methods', '/ask/who', '/upgrade']) {
      await go(page, path)
      await page.getByText('This page needs acl:read').waitFor()
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    }
    await go(page, '/namespaces')
    await page.getByText('This page needs operator:read').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('link', { name: 'My token' }).click()
    await page.getByRole('heading', { name: 'Caller' }).waitFor()
    await go(page, '/upgrade/plan')
    await page.locator('input[type=file]').waitFor({ state: 'attached' })
  })

  mocked('somebody without a token is offered what everybody may use', async ({ page, expect }) => {
    await page.goto(`${ORIGIN}/ui/`)
    await page.getByRole('button', { name: /without/i }).click()
    await page.locator('.shell').waitFor()
    await expect.poll(() => offered(page)).toEqual([...ALWAYS].sort())
    await go(page, '/policies')
    await page.getByText('This page needs acl:read').waitFor()
    expect(await page.getByRole('link', { name: 'My token' }).count()).toBe(0)
  })

  mocked('a right that is lost closes no open page', async ({ page, mocks, expect }) => {
    const { client } = mocks
    const reader = await client.policies.create({ Name: 'own', Rules: 'acl = "read"' })
    const { SecretID } = await client.tokens.create({ Description: 'Caller', Policies: [{ Name: 'own' }] })
    await page.clock.install()
    await page.goto(`${ORIGIN}/ui/policies`)
    await signIn(page, SecretID)
    await page.getByRole('link', { name: 'own' }).waitFor()
    await client.policies.update(reader.ID, { ...reader, Rules: '' })
    await page.clock.runFor(61_000)
    await expect.poll(() => offered(page)).toEqual([...ALWAYS].sort())
    expect(await page.getByText('This page needs acl:read').count()).toBe(0)
  })
})
