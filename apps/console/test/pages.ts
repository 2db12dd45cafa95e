/** Pages of the shared browser, for tests that run beside each other. */
import { type Client, createClient } from '@latchkey/sdk'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { test as base, expect, inject } from 'vitest'
import { collectComplaints, signIn } from './browser.ts'
import { SECRET } from './world.ts'

/** A wait ends with what it waits for. The bound only ends a broken test, however busy the machine is. */
const WAIT_MS_MAX = 120_000

let browser: Promise<Browser> | undefined
/** Contexts that no test uses now. Their caches hold what earlier pages loaded. */
const idle: BrowserContext[] = []

async function takeContext(): Promise<BrowserContext> {
  browser ??= chromium.connect(inject('browserEndpoint'))
  return (
    idle.pop() ??
    (await browser).newContext({ viewport: { width: 1_280, height: 800 }, reducedMotion: 'reduce' })
  )
}

interface Fixtures {
  /** A new page. No other test uses its context at the same time: a browser opens six connections to a server in each. */
  readonly page: Page
}

/** A test with a page of its own. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads from the pattern which fixtures this one needs.
  page: async ({}, use) => {
    const context = await takeContext()
    const page = await context.newPage()
    page.setDefaultTimeout(WAIT_MS_MAX)
    await use(page)
    await page.close()
    idle.push(context)
  },
})

/** Goes to another address within the page, which is faster than to load it again. */
export function go(page: Page, path: string): Promise<void> {
  return page.evaluate((to) => window.history.pushState({}, '', to), `/ui${path}`)
}

interface Console {
  /** Of the server that all tests share. A test changes only the records that it made. */
  readonly url: string
  readonly client: Client
  /** Opens an address below `/ui` as somebody who may do everything. */
  open(path: string): Promise<void>
  go(path: string): Promise<void>
}

/** A test of the console on the real server. */
export const journey = test.extend<{ readonly world: Console }>({
  world: async ({ page }, use) => {
    const url = inject('serverUrl')
    const complaints = collectComplaints(page)
    await use({
      url,
      client: createClient({ address: url, token: SECRET, env: false }),
      open: async (path) => {
        await page.goto(`${url}/ui${path}`)
        await signIn(page, SECRET)
      },
      go: (path) => go(page, path),
    })
    expect(complaints, 'errors of the page').toEqual([])
  },
})
