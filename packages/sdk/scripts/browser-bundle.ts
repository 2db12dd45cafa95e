/** Bundles the browser consumer, and runs the bundle where nothing of Node is at hand. */
import { createContext, runInContext } from 'node:vm'
import { gzipSync } from 'node:zlib'
import { build } from 'vite'

/** Bundles `main.js` of a directory as one file, as an application would. */
export async function bundleSize(root: string): Promise<{ code: string; gzipBytes: number }> {
  const result = await build({
    root,
    logLevel: 'error',
    configFile: false,
    build: { write: false, minify: true, rollupOptions: { input: `${root}/main.js` } },
  })
  const chunks = (Array.isArray(result) ? result : [result]).flatMap((part) =>
    'output' in part ? part.output : [],
  )
  const [chunk, ...others] = chunks
  if (chunk?.type !== 'chunk' || others.length > 0) throw new Error('the bundle is not one file')
  return { code: chunk.code, gzipBytes: gzipSync(chunk.code, { level: 9 }).length }
}

/** Runs the bundle with the globals that pages and workers share, and makes a call with it. */
export async function runInWorkerLikeContext(code: string): Promise<void> {
  const context = createContext({
    AbortController,
    Headers,
    Response,
    TextDecoder,
    TextEncoder,
    URL,
    atob,
    clearTimeout,
    crypto,
    performance,
    setTimeout,
  })
  runInContext(code, context)
  const call = `
    const bodies = []
    const fetch = async (url, init) => {
      bodies.push(JSON.parse(init.body))
      return new Response('', { status: 409 })
    }
    sdk.createClient({ address: 'https://acl.example', fetch }).tokens.create({ Description: 'x' })
      .catch((error) => JSON.stringify([error.kind, bodies[0].AccessorID.length]))
  `
  const said: unknown = await runInContext(
    `(() => {${call.replace('sdk.createClient', 'return sdk.createClient')}})()`,
    context,
  )
  if (said !== '["conflict",36]') throw new Error(`the bundle said ${String(said)}`)
}
