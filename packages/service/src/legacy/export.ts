import type { LegacyToken } from '@latchkey/contract'
import type { Answer, Call } from '../handler.ts'
import { type JsonElements, jsonElements } from '../reply/json-text.ts'
import { legacyEntries } from './legacy-token.ts'

/** All legacy tokens in order of creation, page by page, because an export may be larger than memory. */
export function exportLegacyHandler(call: Call<'legacy.export'>): Answer<'legacy.export'> {
  return { body: { kind: 'json-stream', pages: exported(call) } }
}

async function* exported(call: Call<'legacy.export'>): AsyncGenerator<JsonElements<LegacyToken[]>> {
  for await (const tokens of call.service.store.tokens({ legacy: true })) {
    yield jsonElements(legacyEntries(call, tokens))
  }
}
