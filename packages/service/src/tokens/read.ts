import { expandToken, type TokenRecord } from '@latchkey/acl'
import { seesSecret } from '../caller/authority.ts'
import { type Answer, type Call, type Handler, json, missing, notFound } from '../handler.ts'
import { laterFieldsOf, withoutLater } from '../reply/later-fields.ts'
import { tokenTopic } from '../store/store.ts'
import { withTokenIfAny } from './stored-token.ts'

/** What an expanded token shows besides itself. */
const EXPANDED_TABLES = ['policies', 'roles', 'namespaces'] as const

/** Spec 4.3. Synchronous if the token is in memory. A blocking query can wait for a missing token to appear. */
export const readTokenHandler: Handler<'tokens.read'> = (call) =>
  withTokenIfAny(call, call.params.AccessorID, (token) => shown(call, token))

function shown(call: Call<'tokens.read'>, token: TokenRecord | undefined): Answer<'tokens.read'> {
  const { service, directory, params, query, tableIndex, texts } = call
  const topic = tokenTopic(params.AccessorID)
  if (!token) return missing(notFound('Requested token'), { topic, isOwn: true })
  const watch = { topic, modifyIndex: token.ModifyIndex }
  const showSecret = seesSecret(call, token)
  const { defaultPolicy, nodeName, edition, profile } = service
  // The option is set by its presence or by `true`; `expanded=false` is plain. Decisions: record shapes.
  if (query.expanded !== true || !profile.has('token.expanded'))
    return { body: { kind: 'json-text', text: texts.token(token, directory, showSecret) }, watch }
  const showNamespace = edition === 'extended'
  // Also shows policies and roles, so that every change of tokens, policies or roles may be news.
  const { store } = service
  const index = Math.max(tableIndex, ...EXPANDED_TABLES.map((table) => store.tableIndex(table)))
  const expanded = expandToken(token, { directory, defaultPolicy, nodeName, showSecret, showNamespace })
  return json(withoutLater(expanded, laterFieldsOf(profile)), { topic: 'changes', index, filtered: true })
}

/** Spec 4.4: the caller already has the secret, so the answer shows it. */
export const readSelfHandler: Handler<'tokens.self'> = ({ caller, directory, texts }) => {
  const { token } = caller
  const topic = token.AccessorID === '' ? 'tokens' : tokenTopic(token.AccessorID)
  const watch = { topic, modifyIndex: token.ModifyIndex } as const
  return { body: { kind: 'json-text', text: texts.token(token, directory, true) }, watch }
}
