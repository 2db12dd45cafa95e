import type { MockService } from '@latchkey/mocks'
import { findBrowser } from '@latchkey/testkit/process/find-browser'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type BuiltApp, buildApp } from './build.ts'

/** What the page puts on its global scope for the console. */
declare const mockService: MockService

const executablePath = findBrowser()
if (executablePath === undefined) {
  console.warn('tokens-app in a browser: skipped, no Chromium found (LATCHKEY_BROWSER names one)')
}

let app: BuiltApp
beforeAll(async () => {
  app = await buildApp()
}, 120_000)
afterAll(() => app.close())

test('no module of the bundle, mocks included, imports a Node built-in', () => {
  expect(app.modules.some((id) => id.includes('/packages/mocks/src/mock-service.ts'))).toBe(true)
  expect(app.modules.some((id) => id.includes('/packages/service/src/'))).toBe(true)
  expect(app.builtins).toEqual([])
})

describe.skipIf(executablePath === undefined)('in Chromium, behind the service worker', () => {
  let browser: Browser
  let page: Page
  let complaints: string[]

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: executablePath ?? '', args: ['--no-sandbox'] })
  }, 120_000)
  afterAll(() => browser.close())

  beforeEach(async () => {
    page = await browser.newPage({ viewport: { width: 1_100, height: 620 } })
    complaints = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    await page.goto(app.url)
    await page.locator('tbody tr').nth(3).waitFor()
  })
  afterEach(() => page.close())

  const descriptions = () => page.locator('tbody td:first-child').allTextContents()

  test('lists and creates tokens, without an error on the page', async () => {
    await page.fill('input[name=description]', 'Made in a browser')
    await page.fill('input[name=policy]', 'web')
    await page.fill('input[name=lifetime]', '1h')
    await page.click('button')
    await page.locator('tbody tr').nth(4).waitFor()
    expect(await descriptions()).toEqual([
      'Anonymous Token',
      'Initial Management Token',
      'Looks only',
      'Deploys the web shop',
      'Made in a browser',
    ])
    await expect.poll(() => page.locator('output').textContent()).toMatch(/[0-9a-f-]{36}$/)
    expect(complaints).toEqual([])
    if (process.env.LATCHKEY_SCREENSHOT) await page.screenshot({ path: process.env.LATCHKEY_SCREENSHOT })
  })

  test('shows refusals, failures and expiry of the service', async () => {
    await page.fill('input[name=description]', 'Mine')
    await page.fill('input[name=lifetime]', '59s')
    await page.click('button')
    await expect
      .poll(() => page.locator('[data-code=expiration_out_of_bounds]').textContent())
      .toContain('cannot be less than 1m0s')
    await page.evaluate(() => mockService.clock.advance('24h2s'))
    await expect.poll(descriptions).not.toContain('Deploys the web shop')
    await page.evaluate(() => mockService.failNext('tokens.create', 'id_in_use'))
    await page.fill('input[name=description]', 'Mine')
    await page.fill('input[name=lifetime]', '')
    await page.click('button')
    await expect.poll(() => page.locator('[data-code=id_in_use]').count()).toBe(1)
  })

  test('an unknown request to the base URL is loud: 500 and an error in the console', async () => {
    const text = await page.evaluate(async () => {
      const response = await fetch(`${mockService.baseUrl}/v1/acl/tokenz`)
      return `${response.status} ${await response.text()}`
    })
    expect(text).toContain('500 [latchkey mocks] unhandled request: GET /v1/acl/tokenz.')
    expect(complaints.join()).toContain('GET /v1/acl/tokenz')
  })
})
