/** Pages that consume a package: bundled by Vite, opened in the system's Chromium. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { chromium } from 'playwright-core'
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

/**
 * The title that a page gives itself, or what went wrong on it.
 *
 * @param queryFor receives the origin of the page, and returns the query that the page is opened with.
 */
export async function openPage(
  root: string,
  queryFor: (origin: string) => Promise<string> = async () => '',
): Promise<string> {
  const server = await preview({
    root,
    logLevel: 'error',
    configFile: false,
    preview: { port: 0, host: '127.0.0.1' },
  })
  const executablePath = process.env.LATCHKEY_BROWSER ?? '/usr/bin/chromium'
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: OPEN_TIMEOUT_MS })
  try {
    const page = await browser.newPage()
    const complaint = new Promise<string>((resolve) => {
      page.once('pageerror', (error) => resolve(String(error)))
    })
    const url = new URL(server.resolvedUrls?.local[0] ?? '')
    url.search = await queryFor(url.origin)
    await page.goto(url.href)
    const titled = page
      .waitForFunction("document.title !== 'waiting'", undefined, { timeout: OPEN_TIMEOUT_MS })
      .then(() => page.title())
    return await Promise.race([titled, complaint])
  } finally {
    await browser.close()
    await server.close()
  }
}
