/** The API page at `/docs`, rendered from the OpenAPI document, and the guides below it. No other host is involved. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import express, { type Request, type Response, type Router } from 'express'
import { PACKAGE_FILES } from '../../config/package-files.ts'
import { Compression } from '../compression/compression.ts'
import { GUIDES, renderGuide } from './guides.ts'

const FILES = [
  { path: '/docs.css', type: 'text/css' },
  { path: '/docs.js', type: 'text/javascript' },
  { path: '/icon.svg', type: 'image/svg+xml' },
] as const

/** The page loads its own files and does nothing else: no inline code, no other host, no framing. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A file as served, with a weak ETag of its content: a reader that already has it, compressed or not, gets a 304. */
interface Page {
  readonly bytes: Buffer
  readonly type: string
  readonly tag: string
}

/**
 * Serves the pages, for mounting at `/docs`.
 *
 * @param apiPage returns the HTML of the API page; called on its first request.
 */
export function docsRouter(apiPage: () => Promise<string>): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const compression = new Compression()
  const send = (request: Request, response: Response, page: Page) =>
    sendPage(page, { request, response, compression })
  const page = once(async () => toPage(await apiPage(), 'text/html'))
  router.get('/', async (request, response) => {
    // The page has one address, without a trailing slash.
    if (request.originalUrl.startsWith('/docs/')) {
      response.redirect(301, '/docs')
      return
    }
    await send(request, response, await page())
  })
  for (const [slug, file] of GUIDES) {
    const guide = once(async () => toPage(await renderGuide(slug, file), 'text/html'))
    router.get(`/${slug}`, async (request, response) => send(request, response, await guide()))
  }
  for (const { path, type } of FILES) {
    const file = toPage(readFileSync(join(PACKAGE_FILES.docsAssets, path)), type)
    router.get(path, (request, response) => send(request, response, file))
  }
  return router
}

/**
 * Makes one page for all requests, including those that arrive while it is being made. After a failure, the next
 * request tries again.
 */
function once(make: () => Promise<Page>): () => Promise<Page> {
  let made: Promise<Page> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

function toPage(content: string | Buffer, type: string): Page {
  const bytes = Buffer.from(content)
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { bytes, type, tag: `W/"${digest}"` }
}

interface Exchange {
  readonly request: Request
  readonly response: Response
  readonly compression: Compression
}

async function sendPage(
  { bytes, type, tag }: Page,
  { request, response, compression }: Exchange,
): Promise<void> {
  const headers = {
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
    ETag: tag,
  }
  const sent = await compression.compress({ headers, body: bytes }, request.get('accept-encoding'))
  response.vary('Accept-Encoding').set(sent.headers).send(sent.body)
}
