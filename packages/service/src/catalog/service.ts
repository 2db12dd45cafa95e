import type { Answer, Call } from '../handler.ts'
import { answerInstances } from './instances.ts'

/** Spec 9.3 (1.0.7, 1.3.0). Version 1.3.0 ignores the tag, as a server of that version did for old clients. */
export function serviceHandler(call: Call<'catalog.service'>): Promise<Answer<'catalog.service'>> {
  const { params, namespace, service, query } = call
  const { tag: _ignored, ...withoutTag } = query
  const asked = service.profile.has('catalog.tagFilterIgnored') ? withoutTag : query
  return answerInstances({ ...call, query: asked }, params.Service, (catalog) =>
    catalog.instances(params.Service, namespace),
  )
}
