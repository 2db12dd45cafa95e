/** Chromium for journeys: what pages complain of, and what axe finds. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { findBrowser } from '@latchkey/testkit/process/find-browser'
import type axeCore from 'axe-core'
import type { Page } from 'playwright-core'

/** Path of the browser; `undefined`: there is none, and the tests are skipped. */
export const executablePath = findBrowser()
if (executablePath === undefined) {
  console.warn('console in a browser: skipped, no Chromium found (LATCHKEY_BROWSER names one)')
}

/** Errors of a page, those of its Content-Security-Policy included. Answers with an error status are no fault of it. */
export function collectComplaints(page: Page): string[] {
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text())
    }
  })
  return complaints
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe calls a violation of the page as it is now: the rule and the first element of each. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(`${axe};0`)
  const { violations } = await page.evaluate(() =>
    // With preload, axe copies the style sheets of shadow roots into `<style>` elements, which the page may not have.
    (window as unknown as { axe: typeof axeCore }).axe.run({ preload: false, resultTypes: ['violations'] }),
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
}

/** Signs in with a secret, on the page that is open. */
export async function signIn(page: Page, secret: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Secret' }).fill(secret)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  // Not by role: behind an open dialog, the page is hidden from assistive technology.
  await page.locator('.shell').waitFor()
}
