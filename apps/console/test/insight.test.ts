/** Rights, the key-value browser, the catalog, locks, namespaces and the upgrade, in Chromium against a real server. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { axeViolations, collectComplaints, executablePath, launchBrowser, signIn } from './browser.ts'
import { DUMP, SECRET, startWorld, type World } from './world.ts'

describe.skipIf(executablePath === undefined)('insight on a real server', () => {
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

  async function open(path: string): Promise<void> {
    await page.goto(`${world.url}/ui${path}`)
    await signIn(page, SECRET)
  }

  test('names the rule that denies, follows a change of it, and lists who may', async () => {
    const tokens = await world.client.tokens.list()
    const staging = tokens.find(({ Description }) => Description === 'Web shop, staging')
    await open(`/ask?kind=key&segment=payments%2Fkey&access=read&token=${staging?.AccessorID}`)
    const answer = page.getByRole('region', { name: 'Answer' })
    await answer.getByText('key_prefix "payments/" { policy = "deny" }').waitFor()
    await answer.getByRole('heading', { name: 'No' }).waitFor()
    const policy = await world.client.policies.readByName('payments-deny')
    await world.client.policies.update(policy.ID, {
      ...policy,
      Rules: 'key_prefix "payments/" {\n  policy = "read"\n}\n',
    })
    await answer.getByRole('heading', { name: 'Yes' }).waitFor()
    await answer.getByRole('link', { name: 'Who may do this?' }).click()
    await page.getByRole('link', { name: 'Web shop, staging' }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/ui/ask/who')
    expect(complaints).toEqual([])
  })

  test('keeps what was typed when a key changes elsewhere, and saves it after a choice', async () => {
    await open('/kv')
    await page.getByRole('link', { name: 'shop/' }).click()
    await page.getByRole('link', { name: 'currency' }).click()
    const value = page.getByRole('textbox', { name: 'Value' })
    await value.fill('CHF')
    await world.client.kv.put('shop/currency', 'USD')
    await page.getByText('Changed elsewhere while you edited').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.getByRole('button', { name: 'Keep mine' }).click()
    expect(await value.inputValue()).toBe('CHF')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved', { exact: true }).first().waitFor()
    const stored = await world.client.kv.get('shop/currency')
    expect(atob(stored.Value ?? '')).toBe('CHF')
    await page.getByRole('button', { name: 'Delete key' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'currency' }).waitFor()
    expect(complaints).toEqual([])
  })

  test('follows the health of services, and says which intention decides', async () => {
    await open('/services?q=shop-web')
    await page.getByText('1 warning').waitFor()
    await world.client.catalog.register({
      Node: 'app-1',
      Address: '10.0.1.11',
      Check: {
        CheckID: 'shop-web-Latency',
        Name: 'Latency',
        ServiceID: 'shop-web',
        Status: 'critical',
        Output: 'p99 is 12 s',
      },
    })
    await page.getByText('1 critical').waitFor()
    await page.getByRole('link', { name: 'shop-web' }).click()
    await page.getByText('p99 is 12 s').waitFor()
    await page.getByRole('link', { name: 'Who may connect?' }).click()
    await page.getByRole('textbox', { name: 'Source' }).fill('cron')
    await page.getByRole('textbox', { name: 'Destination' }).fill('postgres')
    await page.keyboard.press('Enter')
    await page.getByText('Decided by the intention from * to postgres').waitFor()
    expect(complaints).toEqual([])
  })

  test('follows a session and its keys, links both ways, and ends it behind a question', async () => {
    await open('/kv?in=orders%2Fexport%2F&key=orders%2Fexport%2Fleader')
    const [session] = (await world.client.sessions.list()).filter(({ Name }) => Name === 'Order export')
    const id = session?.ID ?? ''
    await page.getByRole('link', { name: id }).click()
    await page.getByRole('heading', { name: 'Order export' }).waitFor()
    await page.getByText('1 minute 30 seconds, which acts as 1 minute').waitFor()
    await page.getByRole('link', { name: 'orders/export/cursor' }).waitFor()
    await world.client.kv.acquire('orders/export/extra', id)
    await page.getByRole('link', { name: 'orders/export/extra' }).waitFor()
    await page.getByRole('button', { name: 'End session' }).click()
    await page.getByText('Its keys are released at once').waitFor()
    expect(await axeViolations(page)).toEqual([])
    await page.keyboard.press('Escape')
    expect(await world.client.sessions.info(id)).toHaveLength(1)
    await page.getByRole('button', { name: 'End session' }).click()
    await page.keyboard.press('Enter')
    await page.getByText('This session has ended').waitFor()
    expect((await world.client.kv.get('orders/export/leader')).Session).toBeUndefined()
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').click()
    await page.getByText('db-3').waitFor()
    const shown = (name: string) => page.getByRole('link', { name }).count()
    await expect.poll(() => shown('Order export'), { timeout: 20_000 }).toBe(0)
    const { ID } = await world.client.sessions.create({ Name: 'Reindex', Node: 'app-2', Checks: [] })
    await page.getByRole('link', { name: 'Reindex' }).waitFor()
    await world.client.sessions.destroy(ID)
    await expect.poll(() => shown('Reindex'), { timeout: 20_000 }).toBe(0)
    expect(complaints).toEqual([])
  })

  test('shows how far the upgrade is, and plans one from a dump without a secret in the page', async () => {
    await open('/upgrade')
    await page.getByText('New ACLs').waitFor()
    await page.getByText('No token has legacy rules').waitFor()
    await page.getByRole('link', { name: 'Plan from a dump' }).click()
    const buffer = Buffer.from(JSON.stringify(DUMP))
    const file = { name: 'acl-list.json', mimeType: 'application/json', buffer }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('key_prefix "shop/"').waitFor()
    await page.getByText('The ID of an earlier token').waitFor()
    expect(await page.content()).not.toContain('secret-of-')
    expect(complaints).toEqual([])
  })

  test('works in another namespace, to which links stay, and creates and deletes one', async () => {
    await open('/tokens')
    await page.getByRole('button', { name: 'Namespace default' }).click()
    await page.getByRole('menuitem', { name: 'team-a' }).click()
    await page.getByRole('link', { name: 'Reports of team A' }).waitFor()
    await page.getByRole('link', { name: 'Policies', exact: true }).click()
    await page.getByRole('link', { name: 'team-read' }).waitFor()
    expect(await page.getByRole('link', { name: 'orders-read' }).count()).toBe(0)
    expect(new URL(page.url()).searchParams.get('ns')).toBe('team-a')
    await page.getByRole('link', { name: 'Namespaces' }).click()
    await page.getByRole('button', { name: 'Create namespace' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('team-c')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'team-c' }).waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Delete namespace' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete namespace' }).click()
    await page.getByRole('link', { name: 'team-b' }).waitFor()
    const names = (await world.client.namespaces.list()).map(({ Name }) => Name)
    expect(names).toEqual(['default', 'team-a', 'team-b'])
    expect(complaints).toEqual([])
  })
})
