/** A test of the console on mocks of its own, whose records and failures it chooses. */
import { createMockService, type MockService } from '@latchkey/mocks'
import { type Client, createClient } from '@latchkey/sdk'
import type { Route } from 'playwright-core'
import { inject } from 'vitest'
import { signIn } from './browser.ts'
import { test } from './pages.ts'

/** Serves the files of the console; the mocks answer its calls. */
export const ORIGIN = inject('serverUrl')

export const READER = '00000000-1111-4222-8333-444444444401'
export const NO_RIGHTS = '00000000-1111-4222-8333-444444444402'

interface Mocks {
  readonly service: MockService
  /** With the management token. */
  readonly client: Client
  open(path: string, secret: string): Promise<void>
}

export const mocked = test.extend<{ readonly mocks: Mocks }>({
  mocks: async ({ page }, use) => {
    const service = createMockService({
      baseUrl: ORIGIN,
      edition: 'extended',
      seed: {
        policies: [{ Name: 'reader', Rules: 'acl = "read"\nsession_prefix "" { policy = "read" }' }],
        tokens: [
          { Description: 'Reader', SecretID: READER, Policies: [{ Name: 'reader' }] },
          { Description: 'Without rights', SecretID: NO_RIGHTS },
        ],
      },
    })
    await page.route(`${ORIGIN}/v1/**`, (route) => answer(route, service))
    await use({
      service,
      client: createClient({
        address: ORIGIN,
        token: service.managementToken,
        fetch: service.fetch,
        env: false,
      }),
      open: async (path, secret) => {
        await page.goto(`${ORIGIN}/ui${path}`)
        await signIn(page, secret)
      },
    })
  },
})

async function answer(route: Route, service: MockService): Promise<void> {
  const request = route.request()
  const body = request.postDataBuffer()
  try {
    const response = await service.fetch(request.url(), {
      method: request.method(),
      headers: request.headers(),
      ...(body ? { body: new Uint8Array(body) } : {}),
    })
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: Buffer.from(await response.arrayBuffer()),
    })
  } catch {
    // The page has closed, or the mock plays a server that cannot be reached.
    await route.abort().catch(() => {})
  }
}
