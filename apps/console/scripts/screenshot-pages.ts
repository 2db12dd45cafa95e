/** What screenshots show: one line per page or dialog. */
import type { Client } from '@latchkey/sdk'
import type { Page } from 'playwright-core'

interface ShownPage {
  readonly name: string
  /** Below `/ui`. */
  readonly path: string | ((client: Client) => Promise<string>)
  /** Waits for what the page shows last, after it did what leads there. */
  readonly ready: (page: Page) => Promise<unknown>
}

export const PAGES: readonly ShownPage[] = [
  { name: 'tokens', path: '/tokens', ready: (page) => page.getByText('Web shop, production').waitFor() },
  {
    name: 'ask-denied',
    path: async (client) => {
      const tokens = await client.tokens.list()
      const token = tokens.find(({ Description }) => Description === 'Web shop, staging')?.AccessorID
      return `/ask?${new URLSearchParams({ token: token ?? '', kind: 'key', segment: 'payments/key', access: 'read' })}`
    },
    ready: (page) => page.getByText('What is missing').waitFor(),
  },
  {
    name: 'ask-who',
    path: '/ask/who?kind=key&segment=orders%2F1&access=read',
    ready: (page) => page.getByText('tokens may').waitFor(),
  },
  {
    name: 'kv',
    path: '/kv?in=shop%2F&key=shop%2Ftheme',
    ready: (page) => page.getByText('Times locked').waitFor(),
  },
  { name: 'services', path: '/services', ready: (page) => page.getByText('shop-web').first().waitFor() },
  { name: 'service', path: '/services/orders', ready: (page) => page.getByText('HTTP 503').waitFor() },
  { name: 'nodes', path: '/nodes', ready: (page) => page.getByText('db-3').first().waitFor() },
  { name: 'node', path: '/nodes/app-1', ready: (page) => page.getByText('Orders answer').waitFor() },
  {
    name: 'intentions',
    path: '/intentions?source=shop-web&destination=orders',
    ready: (page) => page.getByText('may connect to orders').waitFor(),
  },
  { name: 'kv-root', path: '/kv', ready: (page) => page.getByText('deploys/').waitFor() },
]
