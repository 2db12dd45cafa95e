/** The page of the API at `/docs`, rendered from the OpenAPI document, and the guides below it. All is served from here. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { OpenApiDocument } from '@latchkey/contract/openapi'
import express, { type Response, type Router } from 'express'
import { GUIDES, renderGuide } from './guides.ts'
import { renderPage } from './page.ts'

const FILES = [
  { path: '/docs.css', type: 'text/css' },
  { path: '/docs.js', type: 'text/javascript' },
  { path: '/icon.svg', type: 'image/svg+xml' },
] as const

/** The page loads its own files and does nothing else: no inline code, no other host, no frame around it. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** A file as it is sent: with a tag of its content, so that a reader who has it gets a 304. */
interface Page {
  readonly bytes: Buffer
  readonly type: string
  readonly tag: string
}

/** Serves the page, for mounting at `/docs`. Renders it now: a request would hold the event loop for 30 ms (DOS-05). */
export function docsRouter(document: OpenApiDocument): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const page = toPage(renderPage(document, LINKS), 'text/html')
  router.get('/', (request, response) => {
    // The page has one address: a slash at its end would be another.
    if (request.originalUrl.startsWith('/docs/')) {
      response.redirect(301, '/docs')
      return
    }
    send(response, page)
  })
  for (const [slug, file] of GUIDES) {
    let guide: Promise<Page> | undefined
    router.get(`/${slug}`, async (_request, response) => {
      guide ??= renderGuide(slug, file, LINKS.style, LINKS.icon).then((text) => toPage(text, 'text/html'))
      send(response, await guide)
    })
  }
  for (const { path, type } of FILES) {
    const file = toPage(readFileSync(new URL(`.${path}`, import.meta.url)), type)
    router.get(path, (_request, response) => send(response, file))
  }
  return router
}

const LINKS = {
  style: '/docs/docs.css',
  script: '/docs/docs.js',
  icon: '/docs/icon.svg',
  document: '/v1/openapi.json',
} as const

function toPage(content: string | Buffer, type: string): Page {
  const bytes = Buffer.from(content)
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
  return { bytes, type, tag: `"${digest}"` }
}

function send(response: Response, { bytes, type, tag }: Page): void {
  response.set({
    'Content-Type': `${type}; charset=utf-8`,
    'Content-Security-Policy': CONTENT_SECURITY_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache',
    ETag: tag,
  })
  response.send(bytes)
}
