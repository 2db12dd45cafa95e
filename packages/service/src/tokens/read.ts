import { andThen, expandToken, type MaybePromise, type TokenRecord } from '@latchkey/acl'
import { seesSecret } from '../caller/authority.ts'
import { type Answer, type Call, json, missing, notFound } from '../handler.ts'
import { tokenTopic } from '../store/store.ts'
import { findToken } from './stored-token.ts'

/** Spec 4.3. What is absent is worth waiting for. */
export function readTokenHandler(call: Call<'tokens.read'>): MaybePromise<Answer<'tokens.read'>> {
  return andThen(findToken(call, call.params.AccessorID), (token) => shown(call, token))
}

function shown(call: Call<'tokens.read'>, token: TokenRecord | undefined): Answer<'tokens.read'> {
  const { service, directory, params, texts } = call
  const topic = tokenTopic(params.AccessorID)
  if (!token) return missing(notFound('Requested token'), { topic, isOwn: true })
  const watch = { topic, modifyIndex: token.ModifyIndex }
  const showSecret = seesSecret(call, token)
  if (!isExpanded(call)) {
    return { body: { kind: 'json-text', text: texts.token(token, directory, showSecret) }, watch }
  }
  const { defaultPolicy, nodeName, edition } = service
  const showNamespace = edition === 'extended'
  return json(expandToken(token, { directory, defaultPolicy, nodeName, showSecret, showNamespace }), watch)
}

/** Spec 4.3: by presence or `true`; `expanded=false` is plain. Decisions: record shapes. */
function isExpanded({ service, query }: Call<'tokens.read'>): boolean {
  return query.expanded === true && service.profile.has('token.expanded')
}
