/** The built console, and one server and one browser for all journeys. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { executablePath } from './browser.ts'
import { startWorld } from './world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    readonly serverUrl: string
    readonly browserEndpoint: string
  }
}

export default async function setup({ provide }: TestProject): Promise<(() => Promise<void>) | undefined> {
  execFileSync(process.execPath, [join(import.meta.dirname, '../scripts/build.ts'), '--if-stale'])
  if (executablePath === undefined) return undefined
  const [world, browser] = await Promise.all([
    startWorld({ LATCHKEY_EDITION: 'extended' }),
    chromium.launchServer({ executablePath, args: ['--no-sandbox'] }),
  ])
  provide('serverUrl', world.url)
  provide('browserEndpoint', browser.wsEndpoint())
  return async () => {
    await browser.close()
    await world.stop()
  }
}
