/** The web console at `/ui`: one page for all its addresses, and files that browsers cache forever. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { ACL_ERRORS, html, PRODUCT_VERSION } from '@latchkey/contract'
import express, { type Request, type Response, type Router } from 'express'
import { PACKAGE_FILES } from '../../config/package-files.ts'
import { encodingFor } from '../compression/compression.ts'

/** Facts about the server, embedded in the page so that the console need not request them. */
export interface ServerFacts {
  readonly headerPrefix: string
  readonly edition: string
  readonly datacenter: string
  readonly serviceVersion: string
}

/** The console loads its own files and calls its own server, nothing else. */
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
  /** Only listed files can be requested: no other path of a request reaches the file system. */
  let names: ReadonlySet<string> | undefined
  let page: { readonly text: string; readonly tag: string } | undefined
  const readPage = () => {
    const path = join(folder, 'index.html')
    if (!existsSync(path)) return undefined
    const text = readFileSync(path, 'utf8').replace(
      'name="latchkey-server" content=""',
      () => html`name="latchkey-server" content="${JSON.stringify(facts)}"`.text,
    )
    return { text, tag: `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` }
  }
  const refuse = (response: Response, text: string) =>
    response.status(ACL_ERRORS.endpoint_unknown.status).type('text/plain').send(text)
  router.get('/{*path}', (request, response) => {
    if (/^\/assets\/|\.[a-z0-9]+$/.test(request.path)) {
      names ??= namesIn(folder)
      const name = request.path.slice(1)
      const notFound = () => refuse(response, 'The console has no such file')
      if (TYPES.has(extname(name)) && names.has(name)) {
        const { sent, headers } = fileFor(request, name, names)
        response.type(extname(name))
        // A new build may have removed the file since the folder was listed.
        const options = { root: folder, headers, cacheControl: false, lastModified: false }
        response.sendFile(sent, options, (error) => error && !response.headersSent && notFound())
      } else notFound()
      return
    }
    page ??= readPage()
    if (page === undefined) {
      refuse(response, NOT_BUILT)
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

/** The file to send for a name, as the build compressed it if the client accepts that. */
function fileFor(request: Request, name: string, names: ReadonlySet<string>) {
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
  return { sent: encoding === undefined ? name : `${name}${SUFFIXES[encoding]}`, headers }
}
