import type { Answer, Call } from '../handler.ts'
import { tokenTopic } from '../store/store.ts'

/** Spec 4.4: the caller already has the secret, so the answer shows it. */
export function readSelfHandler({ caller, directory, texts }: Call<'tokens.self'>): Answer<'tokens.self'> {
  const { token } = caller
  const topic = token.AccessorID === '' ? 'tokens' : tokenTopic(token.AccessorID)
  const watch = { topic, modifyIndex: token.ModifyIndex } as const
  return { body: { kind: 'json-text', text: texts.token(token, directory, true) }, watch }
}
