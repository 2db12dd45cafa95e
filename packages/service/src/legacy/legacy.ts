/** The legacy API for tokens, and the translation of legacy rules. Spec 9.1, 9.2.4; decisions: rule translation. */
import type { LegacyWrite, TokenRecord } from '@latchkey/acl'
import {
  ANONYMOUS_TOKEN_SECRET_ID,
  DEFAULT_NAMESPACE,
  findRulesProblem,
  isGone,
  ROOT_NAMES,
  randomUuid,
  toLegacyToken,
  translateLegacyRules,
  writeLegacyToken,
} from '@latchkey/acl'
import { AclError, type LegacyToken, type LegacyTokenRequest, REDACTED_SECRET_ID } from '@latchkey/contract'
import { seesSecret } from '../caller/authority.ts'
import { type Answer, type Call, type Context, type Handler, json } from '../handler.ts'
import { type JsonElements, jsonElements } from '../reply/json-text.ts'
import { put, remove } from '../store/changes.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { compareUtf8 } from '../store/list-order.ts'
import { withToken } from '../tokens/stored-token.ts'
import { readInTurn } from '../turns.ts'

/** An existing legacy ID is overwritten; a missing one is generated. The body is optional. */
export const createLegacyHandler: Handler<'legacy.create'> = (call) =>
  writeLegacy(call, { ...call.body, ID: call.body.ID || randomUuid(call.service.random) })

/** Like create, but the ID is required. An unknown ID creates a token. */
export const updateLegacyHandler: Handler<'legacy.update'> = (call) => {
  const { ID } = call.body
  if (!ID) throw new AclError('id_missing', 'ACL ID must be set', { field: 'ID' })
  return writeLegacy(call, { ...call.body, ID })
}

export const cloneLegacyHandler: Handler<'legacy.clone'> = (call) => {
  const { store, random } = call.service
  const secretId = requireSecret(call.params)
  return decideAndCommitFor(call, async () => {
    const source = living(call, await store.tokenBySecret(secretId))
    const legacy = source && toLegacyToken(source)
    if (!legacy) throw new AclError('privilege_missing', 'Permission denied')
    const record = writeLegacyToken(undefined, { ...legacy, ID: randomUuid(random) }, undefined)
    return { changes: [put('tokens', record)], answer: () => json({ ID: record.SecretID }) }
  })
}

/** `true`, even for an unknown secret; also deletes tokens of the new API. */
export const destroyLegacyHandler: Handler<'legacy.destroy'> = (call) => {
  const { store } = call.service
  const secretId = requireSecret(call.params)
  if (secretId === ANONYMOUS_TOKEN_SECRET_ID)
    throw new AclError('root_name_refused', 'Permission denied: Cannot delete anonymous token')
  return decideAndCommitFor(call, async () => {
    const existing = living(call, await store.tokenBySecret(secretId))
    if (!existing) return { changes: [], answer: () => json(true) }
    return { changes: [remove('tokens', existing)], answer: () => json(true) }
  })
}

/** An array with the token, or an empty one: a caller that knows the secret may see its token. */
export const infoLegacyHandler: Handler<'legacy.info'> = async (call) => {
  const stored = await call.service.store.tokenBySecret(requireSecret(call.params))
  const token = living(call, stored)
  const legacy = token && toLegacyToken(token)
  const news = token ? { modifyIndex: token.ModifyIndex } : { filtered: true as const }
  const watch = { topic: 'tokens', ...news } as const
  return json(legacy ? [legacy] : [], stored && !token ? { ...watch, leavesOutExpired: true } : watch)
}

/** All legacy tokens, in byte order of their IDs. */
export const listLegacyHandler: Handler<'legacy.list'> = async (call) => {
  const legacy: LegacyToken[] = []
  for await (const tokens of call.service.store.tokens({ legacy: true }))
    legacy.push(...legacyEntries(call, tokens))
  legacy.sort((a, b) => compareUtf8(a.ID, b.ID))
  return json(legacy, { topic: 'tokens', filtered: true })
}

/** All legacy tokens in order of creation, page by page, because an export may be larger than memory. */
export const exportLegacyHandler: Handler<'legacy.export'> = (call) => ({
  body: { kind: 'json-stream', pages: exported(call) },
})

async function* exported(call: Call<'legacy.export'>): AsyncGenerator<JsonElements<LegacyToken[]>> {
  for await (const tokens of call.service.store.tokens({ legacy: true }))
    yield jsonElements(legacyEntries(call, tokens))
}

/** The body is a rule text, not JSON, and so is the answer. */
export const translateRulesHandler: Handler<'legacy.translate'> = (call) => translated(call, call.body)

/** Never widens rights: rules that legacy evaluation ignored are commented out, with an explanation. */
async function translated(call: Context, legacyRules: string): Promise<Answer<'legacy.translate'>> {
  const { rules } = await readInTurn(call, legacyRules, () =>
    translateLegacyRules(legacyRules, { widening: 'comment-out' }),
  )
  return { body: { kind: 'text', text: rules } }
}

export const translateTokenHandler: Handler<'legacy.translateToken'> = async (call) =>
  withToken(call, call.params.AccessorID, (token) => {
    if (token.Rules === '')
      throw new AclError('legacy_rules_missing', 'The specified token does not have any rules set')
    return translated(call, token.Rules)
  })

/** Writes a token under an ID; an existing legacy one is overwritten. */
async function writeLegacy(
  call: Context,
  request: LegacyTokenRequest & { readonly ID: string },
): Promise<Answer<'legacy.create'>> {
  const { store } = call.service
  const write: LegacyWrite = {
    ID: request.ID,
    Name: request.Name ?? '',
    Type: request.Type ?? 'client',
    Rules: request.Rules ?? '',
  }
  const rulesProblem = await readInTurn(call, write.Rules, () =>
    findRulesProblem(write.Rules, { dialect: 'legacy' }),
  )
  return decideAndCommitFor(call, async () => {
    const stored = await store.tokenBySecret(write.ID)
    const record = writeLegacyToken(living(call, stored), write, rulesProblem)
    // A token that is out of reach or in another namespace is not replaced; its ID is in use.
    const expect = stored && isInReach(call, stored) ? stored.ModifyIndex : 0
    return {
      changes: [{ table: 'tokens', op: 'put', record, expect }],
      answer: () => json({ ID: record.SecretID }),
    }
  })
}

/** Tokens as the list shows them to the caller. An ID is a secret. */
function legacyEntries(call: Context, tokens: readonly TokenRecord[]): LegacyToken[] {
  return tokens.flatMap((token) => {
    const legacy = toLegacyToken(token)
    if (!legacy) return []
    return [seesSecret(call, token) ? legacy : { ...legacy, ID: REDACTED_SECRET_ID }]
  })
}

function requireSecret({ ID: secretId }: { readonly ID: string }): string {
  if (ROOT_NAMES.has(secretId))
    throw new AclError('root_name_refused', 'Permission denied: Cannot modify root ACL')
  return secretId
}

/**
 * An expired token of the new API counts as absent, whether or not it was reaped: a legacy token may take over its secret and
 * row. Tokens outside `default`, the namespace of this API, also count as absent. Decisions: tokens, namespaces.
 */
function living(call: Context, token: TokenRecord | undefined): TokenRecord | undefined {
  const { clock, store } = call.service
  if (!token || !isInReach(call, token)) return undefined
  return isGone(token, clock.now(), store.directory()) ? undefined : token
}

function isInReach({ isFromSecondary }: Context, { Namespace, Local }: TokenRecord): boolean {
  return Namespace === DEFAULT_NAMESPACE && !(isFromSecondary && Local)
}
