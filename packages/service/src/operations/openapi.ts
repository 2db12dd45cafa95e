import type { Answer, Call } from '../handler.ts'

export function openapiHandler({ openapi }: Call<'operations.openapi'>): Answer<'operations.openapi'> {
  return { body: { kind: 'json-document', document: openapi } }
}
