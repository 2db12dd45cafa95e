import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { OpenApiDocument } from '@latchkey/contract/openapi'
import { type ApiDocument, JsonDocument } from '@latchkey/service'
import type { Config } from '../../config/config.ts'
import { PACKAGE_FILES } from '../../config/package-files.ts'

/** The settings that the document depends on. */
export type ApiSettings = Pick<Config, 'serviceVersion' | 'headerPrefixes' | 'edition'>

export interface RenderedApi {
  readonly document: OpenApiDocument
  /** HTML. */
  readonly page: string
}

/**
 * The OpenAPI document of this server and the page made from it, rendered on the first request for either. Rendering
 * takes 150 ms of processor time: no start waits for it, and it runs in another thread so that it does not block the
 * event loop (DOS-05).
 */
export class ApiPages {
  private readonly settings: ApiSettings
  private rendered: Promise<{ readonly document: ApiDocument; readonly page: string }> | undefined

  constructor({ serviceVersion, headerPrefixes, edition }: ApiSettings) {
    this.settings = { serviceVersion, headerPrefixes, edition }
  }

  async document(): Promise<ApiDocument> {
    return (await this.render()).document
  }

  async page(): Promise<string> {
    return (await this.render()).page
  }

  private render() {
    this.rendered ??= renderApi(this.settings).then(
      ({ document, page }) => ({ document: new JsonDocument(() => ({ ...document })), page }),
      (error: unknown) => {
        // The next request tries again.
        this.rendered = undefined
        throw error
      },
    )
    return this.rendered
  }
}

async function renderApi(workerData: ApiSettings): Promise<RenderedApi> {
  const worker = new Worker(PACKAGE_FILES.renderApi, { workerData, env: {} })
  const [rendered] = await once(worker, 'message')
  return rendered
}
