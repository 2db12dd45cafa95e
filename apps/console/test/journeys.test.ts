/** What people come to do, in Chromium against a real server. */
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { PAGES } from '../scripts/screenshot-pages.ts'
import { axeViolations, collectComplaints, executablePath, launchBrowser, signIn } from './browser.ts'
import { SECRET, startWorld, type World } from './world.ts'

/** What the first page loads, compressed with gzip; browsers that take brotli load less. */
const FIRST_PAGE_BYTES_MAX = 250_000

/** The size of a file of the build as it travels; fonts and the like are compressed already. */
function gzippedBytes(url: string): number {
  const file = join(import.meta.dirname, '../dist', new URL(url).pathname.replace('/ui/', ''))
  return statSync(existsSync(`${file}.gz`) ? `${file}.gz` : file).size
}

const RULES = 'key_prefix "shop/" {\n  policy = "write"\n}\n'

/** The paths of all pages, as the router has them: `tokens/$accessorId`. */
const ROUTES = globSync('*/routes.tsx', { cwd: join(import.meta.dirname, '../src') }).flatMap((file) =>
  Array.from(
    readFileSync(join(import.meta.dirname, '../src', file), 'utf8').matchAll(/ path: '([^']+)'/g),
    ([, path = '']) => path,
  ),
)

/** The route of an address. */
function routeOf(address: string): string | undefined {
  const { pathname } = new URL(address, 'http://latchkey.test')
  return ROUTES.filter((route) =>
    new RegExp(`^/?${route.replaceAll(/\$\w+/g, '[^/]+')}$`).test(
      route === '/' ? pathname : pathname.slice(1),
    ),
  ).sort((a, b) => Number(a.includes('$')) - Number(b.includes('$')))[0]
}

/** More elements than any page has in the order of Tab. */
const TABS_MAX = 100

/** Presses Tab until an element has the focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not lead to ${target}`)
}

describe.skipIf(executablePath === undefined)('the console on a real server', () => {
  let world: World
  let browser: Browser
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    ;[world, browser] = await Promise.all([startWorld({ LATCHKEY_EDITION: 'extended' }), launchBrowser()])
  })
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })
  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1_280, height: 800 }, reducedMotion: 'reduce' })
    page.setDefaultTimeout(20_000)
    complaints = collectComplaints(page)
  })
  afterEach(() => page.close())

  /** Opens a page as somebody who may do everything. */
  async function open(path: string): Promise<void> {
    await page.goto(`${world.url}/ui${path}`)
    await signIn(page, SECRET)
  }

  test('axe finds nothing on any page', async () => {
    await open('/')
    const left = new Set(ROUTES)
    for (const { name, path, ready } of PAGES) {
      const address = typeof path === 'string' ? path : await path(world.client)
      if (!left.delete(routeOf(address) ?? '')) continue
      // Within the page, which is faster than to load it again.
      await page.evaluate((to) => window.history.pushState({}, '', to), `/ui${address}`)
      await ready(page)
      expect(await axeViolations(page), name).toEqual([])
    }
    expect([...left], 'a page that scripts/screenshot-pages.ts does not have').toEqual([])
    expect(complaints).toEqual([])
  })

  test('signs in by keyboard, finds tokens, and keeps the filter in the address', async () => {
    await page.goto(`${world.url}/ui/tokens`)
    await page.getByRole('textbox', { name: 'Secret' }).waitFor()
    const files = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
    const bytes = files.reduce((sum, file) => sum + gzippedBytes(file), 0)
    expect(bytes).toBeGreaterThan(FIRST_PAGE_BYTES_MAX / 10)
    expect(bytes).toBeLessThan(FIRST_PAGE_BYTES_MAX)
    await page.keyboard.type('11111111-2222-4333-8444-555555555555')
    await page.keyboard.press('Enter')
    await page.getByText('The server does not know this secret').waitFor()
    await page.getByRole('textbox', { name: 'Secret' }).fill(SECRET)
    await page.keyboard.press('Enter')
    await page.getByRole('searchbox').fill('shop prod')
    await expect.poll(() => page.getByRole('row').count(), { timeout: 20_000 }).toBe(2)
    expect(new URL(page.url()).searchParams.get('q')).toBe('shop prod')
    expect(page.url()).not.toContain(SECRET)
    expect(await page.content()).not.toContain(SECRET)
    expect(complaints).toEqual([])
  })

  test('by keyboard alone: a token for eight hours, its secret copied unseen, edited, deleted and brought back', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open('/')
    const { keyboard } = page
    const button = (name: string) => page.getByRole('button', { name, exact: true })
    const choose = async (name: string) => {
      await tabTo(page, button(name))
      await keyboard.press('Enter')
    }
    await keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Command palette' }).waitFor()
    await keyboard.type('create token')
    await keyboard.press('Enter')
    await page.getByLabel('Description').waitFor()
    await keyboard.type('Search index')
    await choose('Add to policies')
    await page.getByRole('option', { name: 'orders-read' }).waitFor()
    await keyboard.type('orders-read')
    await keyboard.press('Enter')
    await button('Remove orders-read').waitFor()
    await choose('Create token')
    await choose('Copy secret')
    await page.getByText('Copied').first().waitFor()
    const secret = await page.evaluate(() => navigator.clipboard.readText())
    const made = await world.client.withToken(secret).tokens.self()
    expect([made.Description, made.Policies?.[0]?.Name]).toEqual(['Search index', 'orders-read'])
    expect(await page.content()).not.toContain(secret)
    await choose('Open token')
    await page.getByText('orders/', { exact: true }).waitFor()

    await choose('Edit token')
    await page.getByLabel('Description').waitFor()
    await keyboard.press('Control+a')
    await keyboard.type('Search index, staging')
    await keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Search index, staging' }).waitFor()

    await choose('More actions')
    const focused = page.locator(':focus')
    await page.getByRole('menuitem', { name: 'Clone token' }).and(focused).waitFor()
    await keyboard.press('End')
    await page.getByRole('menuitem', { name: 'Delete token' }).and(focused).waitFor()
    await keyboard.press('Enter')
    await button('Undo').waitFor()
    await expect(world.client.withToken(secret).tokens.self()).rejects.toMatchObject({
      code: 'caller_unknown',
    })
    // The key with which screen readers reach notifications.
    await keyboard.press('F8')
    await choose('Undo')
    await page.getByText('works again').first().waitFor()
    expect((await world.client.withToken(secret).tokens.self()).AccessorID).toBe(made.AccessorID)
    expect(complaints).toEqual([])
  })

  test('a policy is edited with findings at their place, and saved after its effect was shown', async () => {
    const { ID } = await world.client.policies.readByName('shop-web')
    await open(`/policies/${ID}`)
    await page.getByText('No findings').waitFor()
    const rules = page.getByRole('textbox', { name: 'Rules' })
    await rules.click()
    await page.keyboard.press('Control+End')
    await page.keyboard.insertText('key "shop/*" {\n  policy = "deny"\n}\n')
    await page.getByText('* is an ordinary character here').waitFor()
    await page.keyboard.press('Control+a')
    // Chromium itself styles text that takes the place of other text, which the policy of the page prevents.
    await page.keyboard.press('Delete')
    await page.keyboard.insertText(RULES)
    await page.getByText('No findings').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByText('2 tokens gain or lose rights').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Save policy' }).click()
    await page.getByText('Saved “shop-web”').first().waitFor()
    expect((await world.client.policies.read(ID)).Rules).toBe(RULES)
    expect(complaints).toEqual([])
  })

  test('a change made elsewhere while somebody types is shown beside theirs', async () => {
    const { ID } = await world.client.roles.readByName('on-call')
    await open(`/roles/${ID}`)
    await page.getByRole('button', { name: 'Edit role' }).click()
    await page.getByLabel('Description').fill('Mine')
    await world.client.roles.update(ID, { Name: 'on-call', Description: 'Theirs' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Somebody else has changed this' }).waitFor()
    await page.getByText('Theirs', { exact: true }).last().waitFor()
    await page.getByRole('button', { name: 'Continue with mine' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved “on-call”').first().waitFor()
    expect((await world.client.roles.read(ID)).Description).toBe('Mine')
    expect(complaints).toEqual([])
  })

  test('a token that is made elsewhere appears without a reload', async () => {
    await open('/tokens')
    await page.getByText('Web shop, production').waitFor()
    await world.client.tokens.create({ Description: 'Made elsewhere' })
    await page.getByText('Made elsewhere').waitFor()
    expect(complaints).toEqual([])
  })
})
