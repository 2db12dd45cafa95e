/** Serves a web page that uses the workspace's SDK, and strips the types from its modules. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { stripTypeScriptTypes } from 'node:module'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'

const MODULES = ['@latchkey/sdk', '@latchkey/sdk/browser', '@latchkey/contract/plain']

export interface ServedPage {
  /** With its own query. */
  readonly url: string
  readonly origin: string
  readonly server: Server
}

/** @param scriptFor returns the script for a page URL. */
export async function servePage(scriptFor: (url: string) => string): Promise<ServedPage> {
  const paths = MODULES.map((name) => [name, new URL(import.meta.resolve(name)).pathname])
  const importMap = JSON.stringify({ imports: Object.fromEntries(paths) })
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', origin)
    if (pathname === '/page') {
      response.setHeader('Content-Type', 'text/html')
      return response.end(
        `<!doctype html><title>waiting</title><script type="importmap">${importMap}</script>` +
          `<script type="module">${scriptFor(url)}</script>`,
      )
    }
    if (!/^\/.*\/packages\/(sdk|contract)\/src\/[\w/-]+\.ts$/.test(pathname)) {
      response.statusCode = 404
      return response.end()
    }
    response.setHeader('Content-Type', 'text/javascript')
    return response.end(stripTypeScriptTypes(readFileSync(new URL(`file://${pathname}`), 'utf8')))
  })
  const origin = `http://127.0.0.1:${await listenOnFreePort(server)}`
  const url = `${origin}/page?tab=1`
  return { url, origin, server }
}
