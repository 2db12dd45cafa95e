/** The seven token endpoints. Spec 4.2 to 4.8. */
import { cloneRequestSchema, tokenRequestSchema } from '@latchkey/contract'
import { checkPathId } from '../ids.ts'
import { andThen, type MaybePromise } from '../maybe-promise.ts'
import type { TokenRecord } from '../store/records.ts'
import { type Topic, tokenTopic } from '../store/store.ts'
import { cloneToken } from '../token/clone-token.ts'
import { createToken } from '../token/create-token.ts'
import { checkDelete } from '../token/delete-token.ts'
import { expandToken } from '../token/expand-token.ts'
import { isExpired } from '../token/expiration.ts'
import { showToken } from '../token/show-token.ts'
import { checkBodyAccessor, updateToken } from '../token/update-token.ts'
import { type Answer, absentTokenFields, type Call, decode, json, missing, notFound } from './call.ts'
import { created, decideAndCommit, modified } from './commit.ts'
import { inBodyNamespace } from './namespace.ts'

/** Spec 4.2. */
export function createTokenHandler(call: Call): Promise<Answer> {
  const { api } = call
  const request = decode(call, tokenRequestSchema, { absentFields: absentTokenFields(api.profile, 'create') })
  const { namespace } = inBodyNamespace(call, request.Namespace)
  return decideAndCommit(api.store, async () => {
    const directory = await api.store.directory()
    const record = createToken(request, { now: api.clock.now(), random: api.random, directory, namespace })
    return {
      changes: [{ table: 'tokens', op: 'put', record, expect: 0 }],
      answer: (index) => shown(call, created(record, index)),
    }
  })
}

/** Spec 4.3. What is absent is worth waiting for. */
export function readTokenHandler(call: Call): MaybePromise<Answer> {
  const accessorId = pathAccessor(call)
  return andThen(findToken(call, accessorId), (token) => showRead(call, token, tokenTopic(accessorId)))
}

function showRead(call: Call, token: TokenRecord | undefined, topic: Topic): Answer {
  if (!token) return missing(notFound('Requested token'), topic)
  if (isExpanded(call)) {
    const { directory, api, caller } = call
    const { defaultPolicy, nodeName, edition } = api
    const showSecret = caller.authorizer.aclWrite
    const showNamespace = edition === 'extended'
    return json(expandToken(token, { directory, defaultPolicy, nodeName, showSecret, showNamespace }), {
      topic,
    })
  }
  const text = call.texts.token(token, call.directory, call.caller.authorizer.aclWrite)
  return { body: { kind: 'json-text', text }, watch: { topic } }
}

/** Spec 4.4: the caller holds the secret already, so it sees it. */
export function readSelfHandler(call: Call): Answer {
  const { token } = call.caller
  const text = call.texts.token(token, call.directory, true)
  const watch =
    token.AccessorID === ''
      ? ({ topic: 'tokens', filtered: true } as const)
      : { topic: tokenTopic(token.AccessorID) }
  return { body: { kind: 'json-text', text }, watch }
}

/** Spec 4.5. */
export function updateTokenHandler(call: Call): Promise<Answer> {
  const { api } = call
  const accessorId = pathAccessor(call)
  const request = decode(call, tokenRequestSchema, { absentFields: absentTokenFields(api.profile, 'update') })
  checkBodyAccessor(accessorId, request)
  const there = inBodyNamespace(call, request.Namespace)
  return decideAndCommit(api.store, async () => {
    const existing = await requireToken(there, accessorId)
    const record = updateToken(existing, accessorId, request, await api.store.directory())
    return {
      changes: [{ table: 'tokens', op: 'put', record, expect: existing.ModifyIndex }],
      answer: (index) => shown(call, modified(record, index)),
    }
  })
}

/** Spec 4.6. */
export function cloneTokenHandler(call: Call): Promise<Answer> {
  const { api } = call
  const accessorId = pathAccessor(call)
  const request = decode(call, cloneRequestSchema, { absentFields: absentTokenFields(api.profile, 'update') })
  const there = inBodyNamespace(call, request.Namespace)
  return decideAndCommit(api.store, async () => {
    const source = await requireToken(there, accessorId)
    const directory = await api.store.directory()
    const record = cloneToken(source, request.Description, {
      now: api.clock.now(),
      random: api.random,
      directory,
    })
    return {
      changes: [{ table: 'tokens', op: 'put', record, expect: 0 }],
      answer: (index) => shown(call, created(record, index)),
    }
  })
}

/** Spec 4.7: `true` once the record is gone. */
export function deleteTokenHandler(call: Call): Promise<Answer> {
  const accessorId = pathAccessor(call)
  return decideAndCommit(call.api.store, async () => {
    const existing = await requireToken(call, accessorId)
    checkDelete(existing, call.caller.token)
    return {
      changes: [{ table: 'tokens', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}

function pathAccessor(call: Call): string {
  const accessorId = call.params.AccessorID ?? ''
  checkPathId(accessorId, 'token', 'AccessorID')
  return accessorId
}

/** Spec 4.3: by presence or `true`; `expanded=false` is plain. Decisions: record shapes. */
function isExpanded(call: Call): boolean {
  return (
    call.query.has('expanded') &&
    call.query.get('expanded') !== 'false' &&
    call.api.profile.has('token.expanded')
  )
}

/** The token, unless it is absent, expired or of another namespace, which are the same to a caller. */
export function findToken(call: Call, accessorId: string): MaybePromise<TokenRecord | undefined> {
  return andThen(call.api.store.tokenByAccessor(accessorId), (token) => {
    if (!token || isExpired(token, call.api.clock.now())) return undefined
    return token.Namespace === call.namespace ? token : undefined
  })
}

async function requireToken(call: Call, accessorId: string): Promise<TokenRecord> {
  const token = await findToken(call, accessorId)
  if (!token) throw notFound('Requested token')
  return token
}

/** The record as its writer sees it: whoever may write tokens may see their secrets. Spec 5.3. */
function shown(call: Call, record: TokenRecord): Answer {
  const showNamespace = call.api.edition === 'extended'
  return json(showToken(record, { directory: call.directory, showSecret: true, showNamespace }))
}
