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
]
