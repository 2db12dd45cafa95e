import type { Answer, Call } from '../handler.ts'

export async function openapiHandler({
  service,
}: Call<'operations.openapi'>): Promise<Answer<'operations.openapi'>> {
  return { body: { kind: 'json-document', document: await service.openapi() } }
}
