/** Pages that consume a package: bundled by Vite, opened in the system's Chromium. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type Browser, chromium } from 'playwright-core'
import { build, preview } from 'vite'

const OPEN_TIMEOUT_MS = 60_000

export async function bundlePage(root: string): Promise<{ readonly gzipBytes: number }> {
  // Top-level await, as in the pages, needs a target that has it.
  await build({
    root,
    logLevel: 'error',
    configFile: false,
    build: { target: 'es2022', chunkSizeWarningLimit: 2_000 },
  })
  const assets = join(root, 'dist/assets')
  const gzip = readdirSync(assets).map(
    (file) => gzipSync(readFileSync(join(assets, file)), { level: 9 }).length,
  )
  return { gzipBytes: gzip.reduce((sum, bytes) => sum + bytes, 0) }
}

export interface ServedPage {
  readonly origin: string
  close(): Promise<void>
}

/** Serves a bundled page on its own origin. */
export async function servePage(root: string): Promise<ServedPage> {
  const server = await preview({
    root,
    logLevel: 'error',
    configFile: false,
    preview: { port: 0, host: '127.0.0.1' },
  })
  const { origin } = new URL(server.resolvedUrls?.local[0] ?? '')
  return { origin, close: () => server.close() }
}

/** The title that the page sets, or its error. */
export async function openPages(urls: readonly string[]): Promise<readonly string[]> {
  const executablePath = process.env.LATCHKEY_BROWSER ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: OPEN_TIMEOUT_MS })
  try {
    return await Promise.all(urls.map((url) => titleOf(browser, url)))
  } finally {
    await browser.close()
  }
}

async function titleOf(browser: Browser, url: string): Promise<string> {
  const page = await browser.newPage()
  const complaint = new Promise<string>((resolve) => {
    page.once('pageerror', (error) => resolve(String(error)))
  })
  await page.goto(url)
  const titled = page
    .waitForFunction("document.title !== 'waiting'", undefined, { timeout: OPEN_TIMEOUT_MS })
    .then(() => page.title())
  return Promise.race([titled, complaint])
}
