/** What people come to do, in Chromium against a real server. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { axeViolations, collectComplaints, executablePath, launchBrowser, signIn } from './browser.ts'
import { SECRET, startWorld, type World } from './world.ts'

/** What the first page loads, compressed. */
const FIRST_PAGE_BYTES_MAX = 250_000

const RULES = 'key_prefix "shop/" {\n  policy = "write"\n}\n'

describe.skipIf(executablePath === undefined)('the console on a real server', () => {
  let world: World
  let browser: Browser
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    ;[world, browser] = await Promise.all([startWorld(), launchBrowser()])
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

  test('signs in by keyboard, finds tokens, and keeps the filter in the address', async () => {
    await page.goto(`${world.url}/ui/tokens`)
    await page.getByRole('textbox', { name: 'Secret' }).waitFor()
    const bytes = await page.evaluate(() =>
      performance
        .getEntries()
        .reduce(
          (sum, entry) => sum + (entry instanceof PerformanceResourceTiming ? entry.encodedBodySize : 0),
          0,
        ),
    )
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
    expect(await axeViolations(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  test('a token is made for eight hours, its secret copied unseen, edited, deleted and brought back', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open('/tokens?create=true')
    await page.getByLabel('Description').fill('Search index')
    await page.getByRole('button', { name: 'Add to policies' }).click()
    await page.getByRole('option', { name: 'orders-read' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('button', { name: 'Copy secret' }).click()
    await page.getByText('Copied').first().waitFor()
    const secret = await page.evaluate(() => navigator.clipboard.readText())
    const made = await world.client.withToken(secret).tokens.self()
    expect([made.Description, made.Policies?.[0]?.Name]).toEqual(['Search index', 'orders-read'])
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Open token' }).click()
    await page.getByText('orders/', { exact: true }).waitFor()
    expect(await axeViolations(page)).toEqual([])

    await page.getByRole('button', { name: 'Edit token' }).click()
    await page.getByLabel('Description').fill('Search index, staging')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Search index, staging' }).waitFor()

    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete token' }).click()
    await page.getByRole('button', { name: 'Undo' }).waitFor()
    await expect(world.client.withToken(secret).tokens.self()).rejects.toMatchObject({
      code: 'caller_unknown',
    })
    await page.getByRole('button', { name: 'Undo' }).click()
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
    expect(await axeViolations(page)).toEqual([])
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
