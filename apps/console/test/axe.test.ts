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

/** The route of an address. */
function routeOf(address: string): string | undefined {
  const { pathname } = new URL(address, 'http://latchkey.test')
  return ROUTES.filter((route) =>
    new RegExp(`^/?${route.replaceAll(/\$\w+/g, '[^/]+')}$`).test(
      route === '/' ? pathname : pathname.slice(1),
    ),
  ).sort((a, b) => Number(a.includes('$')) - Number(b.includes('$')))[0]
}

/** The first entry of each route, with its address. */
async function pagesToCheck(client: Client) {
  const left = new Set(ROUTES)
  const pages = await Promise.all(
    PAGES.map(async ({ name, path, ready }) => ({
      name,
      address: typeof path === 'string' ? path : await path(client),
      ready,
    })),
  )
  const found = pages.filter(({ address }) => left.delete(routeOf(address) ?? ''))
  return { found, missing: [...left] }
}

/** So many pages go through the routes at the same time. */
const SHARES = [0, 1, 2]

describe.skipIf(executablePath === undefined)('axe on a real server', () => {
  journey.for(SHARES)('axe finds nothing on any page (share %i)', async (share, { page, world }) => {
    const { found, missing } = await pagesToCheck(world.client)
    expect(missing, 'a page that scripts/screenshot-pages.ts does not have').toEqual([])
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
