/**
 * Takes screenshots of every page, light, dark, narrow and wide, against a real server: `pnpm --filter @latchkey/console
 * screenshots`. They go to `screenshots/`, which git ignores. An argument limits them to pages whose name contains it.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { findBrowser } from '@latchkey/testkit/process/find-browser'
import { chromium, type Page } from 'playwright-core'
import { SECRET, startWorld, type World } from '../test/world.ts'
import { PAGES } from './screenshot-pages.ts'

const FOLDER = join(import.meta.dirname, '../screenshots')
const LOOKS = [
  { name: 'light', colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  { name: 'dark', colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
  { name: 'narrow', colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { name: 'wide', colorScheme: 'light', viewport: { width: 3840, height: 2160 } },
] as const

const [only = ''] = process.argv.slice(2)
mkdirSync(FOLDER, { recursive: true })
const world = await startWorld({ LATCHKEY_EDITION: 'extended' })
const browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: ['--no-sandbox'] })
try {
  for (const { name: look, ...options } of LOOKS) {
    const context = await browser.newContext({ ...options, reducedMotion: 'reduce' })
    const page = await context.newPage()
    page.on('console', (message) => message.type() === 'error' && console.error(look, message.text()))
    page.on('pageerror', (error) => console.error(look, error.message))
    await take(page, look, world)
    await context.close()
  }
} finally {
  await browser.close()
  await world.stop()
}

async function take(page: Page, look: string, { url, client }: World): Promise<void> {
  await page.goto(`${url}/ui`)
  const secret = page.getByRole('textbox', { name: 'Secret' })
  await secret.waitFor()
  if ('sign-in'.includes(only)) await page.screenshot({ path: join(FOLDER, `sign-in-${look}.png`) })
  await secret.fill(SECRET)
  await page.getByLabel('Stay signed in').check()
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.locator('.shell').waitFor()
  for (const { name, path, ready } of PAGES) {
    if (!name.includes(only)) continue
    const target = typeof path === 'string' ? path : await path(client)
    await page.goto(`${url}/ui${target}`)
    await ready(page)
    await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`) })
  }
}
