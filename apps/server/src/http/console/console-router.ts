/** The web console at `/ui`: one page for all its addresses, and files that browsers cache forever. */
import { ACL_ERRORS, html } from '@latchkey/contract'
import express, { type Request, type Response, type Router } from 'express'
import { PACKAGE_FILES } from '../../config/package-files.ts'
import { encodingFor } from '../compression/encodings.ts'
import { ConsoleFiles, tagOf } from './console-files.ts'

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

/** Serves the console, for mounting at `/ui`. Files are read on their first request, so that the server starts fast. */
export function consoleRouter(facts: ServerFacts, folder: string = PACKAGE_FILES.console): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const files = new ConsoleFiles(folder)
  let page: { readonly text: string; readonly tag: string } | undefined
  const readPage = () => {
    const text = files.page()?.replace('name="latchkey-server" content=""', () => metaOf(facts))
    return text === undefined ? undefined : { text, tag: tagOf(text) }
  }
  router.get('/{*path}', (request, response) => {
    if (/^\/assets\/|\.[a-z0-9]+$/.test(request.path)) {
      sendFile(files, request, response)
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

function sendFile(files: ConsoleFiles, request: Request, response: Response): void {
  const file = files.find(request.path)
  if (file === undefined) {
    response
      .status(ACL_ERRORS.endpoint_unknown.status)
      .type('text/plain')
      .send('The console has no such file')
    return
  }
  const chosen = encodingFor(request.get('accept-encoding'), file.encodings)
  const encoding = file.encodings.find((each) => each === chosen)
  response.set({
    ...COMMON,
    'Content-Type': file.type,
    'Cache-Control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ETag: file.tag,
  })
  if (file.encodings.length > 0) response.vary('Accept-Encoding')
  if (encoding !== undefined) response.set('Content-Encoding', encoding)
  response.send(file.bytes(encoding))
}

function metaOf(facts: ServerFacts): string {
  return html`name="latchkey-server" content="${JSON.stringify(facts)}"`.text
}
