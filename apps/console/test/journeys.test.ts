/** What people come to do, in Chromium against a real server. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { axeViolations, collectComplaints, executablePath, launchBrowser, signIn } from './browser.ts'
import { SECRET, startWorld, type World } from './world.ts'

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

  test('a token that is made elsewhere appears without a reload', async () => {
    await open('/tokens')
    await page.getByText('Web shop, production').waitFor()
    await world.client.tokens.create({ Description: 'Made elsewhere' })
    await page.getByText('Made elsewhere').waitFor()
    expect(complaints).toEqual([])
  })
})
