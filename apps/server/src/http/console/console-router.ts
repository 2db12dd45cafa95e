/** The web console at `/ui`: one page for all its addresses, and files that browsers cache forever. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { ACL_ERRORS, html, PRODUCT_VERSION } from '@latchkey/contract'
import express, { type Request, type Response, type Router } from 'express'
import { PACKAGE_FILES } from '../../config/package-files.ts'
import { encodingFor } from '../compression/encodings.ts'

/** Facts about the server, embedded in the page so that the console need not request them. */
export interface ServerFacts {
  readonly headerPrefix: string
  readonly edition: string
  readonly datacenter: string
  readonly serviceVersion: string
}

/**
 * The console loads its own files and calls its own server, nothing else: no inline code or style, no other host, no
 * framing, no form submission.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const COMMON = { 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer' } as const

const TYPES: ReadonlySet<string> = new Set(['.css', '.js', '.json', '.svg', '.woff2'])
/** Suffixes of the files that the build compressed, by coding, the smallest first. */
const SUFFIXES = { br: '.br', gzip: '.gz' } as const
const ENCODINGS = Object.keys(SUFFIXES) as (keyof typeof SUFFIXES)[]

/** Serves the console, for mounting at `/ui`. Files are listed on the first request, so that the server starts fast. */
export function consoleRouter(facts: ServerFacts, folder: string = PACKAGE_FILES.console): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  let names: ReadonlySet<string> | undefined
  let page: { readonly text: string; readonly tag: string } | undefined
  const readPage = () => {
    const path = join(folder, 'index.html')
    if (!existsSync(path)) return undefined
    const text = readFileSync(path, 'utf8').replace('name="latchkey-server" content=""', () => metaOf(facts))
    return { text, tag: `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
  }
  router.get('/{*path}', (request, response) => {
    if (/^\/assets\/|\.[a-z0-9]+$/.test(request.path)) {
      names ??= namesIn(folder)
      sendFile(request, response, { folder, names })
      return
    }
    page ??= readPage()
    if (page === undefined) {
      response.status(ACL_ERRORS.endpoint_unknown.status).type('text/plain').send(NOT_BUILT)
      return
    }
    response
      .set({
        ...COMMON,
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': CONTENT_SECURITY_POLICY,
        'Cross-Origin-Opener-Policy': 'same-origin',
        'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
        'Cache-Control': 'no-cache',
        ETag: page.tag,
      })
      .send(page.text)
  })
  return router
}

const NOT_BUILT = 'The console is not built. Build it: pnpm --filter @latchkey/console build\n'

function namesIn(folder: string): ReadonlySet<string> {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  return new Set(names.map((name) => name.replaceAll('\\', '/')))
}

interface ConsoleFiles {
  readonly folder: string
  /** Only listed files can be requested: no other path of a request reaches the file system. */
  readonly names: ReadonlySet<string>
}

function sendFile(request: Request, response: Response, { folder, names }: ConsoleFiles): void {
  const name = request.path.slice(1)
  const notFound = () =>
    response
      .status(ACL_ERRORS.endpoint_unknown.status)
      .type('text/plain')
      .send('The console has no such file')
  if (!TYPES.has(extname(name)) || !names.has(name)) {
    notFound()
    return
  }
  const encodings = ENCODINGS.filter((encoding) => names.has(`${name}${SUFFIXES[encoding]}`))
  const chosen = encodingFor(request.get('accept-encoding'), encodings)
  const encoding = encodings.find((each) => each === chosen)
  // The name of an asset contains a hash of its content.
  const isImmutable = name.startsWith('assets/')
  const headers = {
    ...COMMON,
    'Cache-Control': isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: `W/"${PRODUCT_VERSION}/${name}"`,
    ...(encodings.length > 0 ? { Vary: 'Accept-Encoding' } : {}),
    ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
  }
  response.type(extname(name))
  const sent = encoding === undefined ? name : `${name}${SUFFIXES[encoding]}`
  // A new build may have removed the file since the folder was listed.
  response.sendFile(sent, { root: folder, headers, cacheControl: false, lastModified: false }, (error) => {
    if (error && !response.headersSent) notFound()
  })
}

function metaOf(facts: ServerFacts): string {
  return html`name="latchkey-server" content="${JSON.stringify(facts)}"`.text
}
