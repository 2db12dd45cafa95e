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
  { name: 'kv-root', path: '/kv', ready: (page) => page.getByText('deploys/').waitFor() },
]
