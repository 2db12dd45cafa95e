/** Renders the API for `ApiPages`, in its own thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { HEADER_PREFIX_DEFAULT, profileOf } from '@latchkey/contract'
import { buildOpenApi } from '@latchkey/contract/openapi'
import type { ApiSettings, RenderedApi } from './api-pages.ts'
import { LINKS } from './guides.ts'
import { renderPage } from './page.ts'

const { serviceVersion, headerPrefixes, edition }: ApiSettings = workerData
const document = buildOpenApi({
  profile: profileOf(serviceVersion),
  headerPrefix: headerPrefixes[0] ?? HEADER_PREFIX_DEFAULT,
  edition,
})
const rendered: RenderedApi = { document, page: renderPage(document, LINKS) }
parentPort?.postMessage(rendered)
