/** The pages at `/docs`, which `scripts/docs` makes: the API and the guides below it. No other host is involved. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { compareVersions, HEADER_PREFIX_DEFAULT, isBefore, parseServiceVersion } from '@latchkey/contract'
import { type ApiDocument, JsonDocument } from '@latchkey/service'
import express, { type Router } from 'express'
import type { Config } from '../config/config.ts'
import { PACKAGE_FILES } from '../config/package-files.ts'
import { Compression } from './compression/compression.ts'

/** The settings that the document and the page of the API depend on. */
type ApiSettings = Pick<Config, 'serviceVersion' | 'headerPrefixes' | 'edition'>

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

export async function readApiDocument(settings: ApiSettings): Promise<ApiDocument> {
  const text = await readApi(settings, 'json')
  return new JsonDocument(() => JSON.parse(text))
}

export function docsRouter(settings: ApiSettings): Router {
  const router = express.Router({ caseSensitive: true, strict: true })
  const compression = new Compression()
  const folder = join(PACKAGE_FILES.docs, 'pages')
  // Only listed files can be requested. A glob pattern would load its matcher at every start, which takes 20 ms.
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []
  const pages = new Map<string, () => Promise<Buffer>>(
    names.map((name) => [`/${name.replaceAll('\\', '/')}`, once(() => readFile(join(folder, name)))]),
  )
  pages.set(
    '/.html',
    once(async () => Buffer.from(await readApi(settings, 'html'))),
  )
  router.get('/{*path}', async (request, response, next) => {
    // The page has one address, without a trailing slash.
    if (request.originalUrl.startsWith('/docs/') && request.path === '/') {
      response.redirect(301, '/docs')
      return
    }
    const type = /\.(?:css|js|svg)$/.exec(request.path)?.[0] ?? '.html'
    const bytes = await pages.get(type === '.html' ? `${request.path}.html` : request.path)?.()
    if (bytes === undefined) {
      next()
      return
    }
    const headers = {
      'Content-Security-Policy': CONTENT_SECURITY_POLICY,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-cache',
      // Weak: the same for compressed answers.
      ETag: `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    }
    const sent = await compression.compress({ headers, body: bytes }, request.get('accept-encoding'))
    response.type(type).vary('Accept-Encoding').set(sent.headers).send(sent.body)
  })
  return router
}

const unzip = promisify(gunzip)

/** Reads the newest file that is not newer than the service version, and fills in what differs between servers. */
async function readApi({ serviceVersion, headerPrefixes, edition }: ApiSettings, kind: 'html' | 'json') {
  const folder = join(PACKAGE_FILES.docs, 'api')
  const ending = `-${edition}.${kind}.gz`
  const version = readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .map((name) => parseServiceVersion(name.slice(0, -ending.length)))
    .sort(compareVersions)
    .findLast((each) => !isBefore(serviceVersion, each))
  const text = String(await unzip(await readFile(join(folder, `${version?.text}${ending}`))))
  const [prefix = HEADER_PREFIX_DEFAULT] = headerPrefixes
  return text
    .replaceAll('{Prefix}', prefix)
    .replaceAll('{prefix}', prefix.toLowerCase())
    .replaceAll('{version}', serviceVersion.text)
}

/** Asks once for all callers. After a failure, the next one asks again. */
export function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    answer ??= ask().catch((error: unknown) => {
      answer = undefined
      throw error
    })
    return answer
  }
}
