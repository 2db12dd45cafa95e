/** What axe, the checker of accessibility, finds on each page, in Chromium on a real server. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@latchkey/sdk'
import { describe, expect } from 'vitest'
import { PAGES } from '../scripts/screenshot-pages.ts'
import { axeViolations, executablePath } from './browser.ts'
import { journey } from './pages.ts'

/** The paths of all pages, as the router has them: `tokens/$accessorId`. */
const ROUTES = Array.from(
  readFileSync(join(import.meta.dirname, '../src/router.tsx'), 'utf8').matchAll(/^ {2}page\('([^']+)'/gm),
  ([, path = '']) => path,
)

/** The first entry of each route, with its address. */
async function pagesToCheck(client: Client) {
  const pages = await Promise.all(
    PAGES.map(async (page) => {
      const address = typeof page.path === 'string' ? page.path : await page.path(client)
      return { ...page, address, pathname: new URL(address, 'http://latchkey.test').pathname }
    }),
  )
  return ROUTES.map((route) => {
    const pattern = new RegExp(`^/?${route.replace(/\$\w+/, '(?!new$)[^/]+')}$`)
    const found = pages.find(({ pathname }) => pattern.test(pathname))
    if (found === undefined) throw new Error(`scripts/screenshot-pages.ts has no page of ${route}`)
    return found
  })
}

/** So many pages go through the routes at the same time. */
const SHARES = [0, 1, 2]

describe.skipIf(executablePath === undefined)('axe on a real server', () => {
  journey.for(SHARES)('axe finds nothing on any page (share %i)', async (share, { page, world }) => {
    const found = await pagesToCheck(world.client)
    expect(found.length).toBeGreaterThan(20)
    await world.open('/')
    for (const { name, address, ready } of found.filter((_, i) => i % SHARES.length === share)) {
      await world.go(address)
      await ready(page)
      expect(await axeViolations(page), name).toEqual([])
    }
  })

  journey('the documentation fits a narrow window, and axe finds nothing in it', async ({ page, world }) => {
    await page.setViewportSize({ width: 390, height: 800 })
    for (const path of ['/docs', '/docs/operations', '/docs/cli', '/docs/decisions/replication']) {
      await page.goto(`${world.url}${path}`)
      const isWider = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)
      expect(isWider, path).toBe(false)
      expect(await axeViolations(page), path).toEqual([])
    }
  })
})
