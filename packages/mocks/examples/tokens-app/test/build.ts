/** Builds the example as it would be published, and serves it. */
import { rm } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build, type Plugin, preview } from 'vite'

const APP = join(import.meta.dirname, '..')

export interface BuiltApp {
  readonly url: string
  /** The modules of the bundle. */
  readonly modules: readonly string[]
  /** Node built-ins that the bundle imports, and the importing modules. */
  readonly builtins: readonly string[]
  close(): Promise<void>
}

export async function buildApp(): Promise<BuiltApp> {
  const outDir = join(tmpdir(), `latchkey-tokens-app-${process.pid}`)
  const graph = { modules: new Set<string>(), builtins: new Set<string>() }
  const common = {
    root: APP,
    logLevel: 'error',
    build: { outDir, emptyOutDir: true, chunkSizeWarningLimit: 2_000 },
  } as const
  await build({ ...common, plugins: [recordGraph(graph)] })
  const server = await preview({ ...common, preview: { port: 0, host: '127.0.0.1', strictPort: false } })
  const [url] = server.resolvedUrls?.local ?? []
  if (url === undefined) throw new Error('the preview server has no address')
  return {
    url,
    modules: [...graph.modules],
    builtins: [...graph.builtins],
    close: async () => {
      await server.close()
      await rm(outDir, { recursive: true, force: true })
    },
  }
}

/** Sees every import while Vite resolves it, before it replaces built-ins by empty modules. */
function recordGraph(graph: { modules: Set<string>; builtins: Set<string> }): Plugin {
  return {
    name: 'record-graph',
    enforce: 'pre',
    resolveId(id, importer) {
      if (isBuiltin(id)) graph.builtins.add(`${id} in ${importer}`)
      return null
    },
    load(id) {
      graph.modules.add(id)
      return null
    },
  }
}
