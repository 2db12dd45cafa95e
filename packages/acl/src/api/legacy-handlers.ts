/** The legacy ACL API, until 1.11. Spec 9.1, 9.2.4; reference 7. */
import { AclError, type LegacyToken, legacyTokenRequestSchema } from '@latchkey/contract'
import { ANONYMOUS_TOKEN_SECRET_ID, ROOT_NAMES } from '../builtin.ts'
import { randomUuid } from '../ports.ts'
import { parseLegacyRules } from '../rules/parse-rules.ts'
import { compareUtf8 } from '../store/list-order.ts'
import type { TokenRecord } from '../store/records.ts'
import { isExpired } from '../token/expiration.ts'
import { type LegacyWrite, toLegacyToken, writeLegacyToken } from '../upgrade/legacy-token.ts'
import { type Answer, type Call, decode, json } from './call.ts'
import { decideAndCommit } from './commit.ts'

/** An existing legacy ID is overwritten; a missing one is generated. The body may be left out. */
export function createLegacyHandler(call: Call): Promise<Answer> {
  const request = decode(call, legacyTokenRequestSchema, { optional: true })
  return writeLegacy(call, { ...request, ID: request.ID || randomUuid(call.api.random) })
}

/** As create, but the ID must be there. An unknown one creates. */
export function updateLegacyHandler(call: Call): Promise<Answer> {
  const request = decode(call, legacyTokenRequestSchema, { optional: true })
  if (!request.ID) throw new AclError('id_missing', 'ACL ID must be set', { field: 'ID' })
  return writeLegacy(call, { ...request, ID: request.ID })
}

function writeLegacy(
  call: Call,
  request: {
    readonly ID: string
    readonly Name?: string | undefined
    readonly Type?: string | undefined
    readonly Rules?: string | undefined
  },
): Promise<Answer> {
  const { store } = call.api
  const write: LegacyWrite = {
    ID: request.ID,
    Name: request.Name ?? '',
    Type: request.Type ?? 'client',
    Rules: request.Rules ?? '',
  }
  return decideAndCommit(store, async () => {
    const stored = await store.tokenBySecret(write.ID)
    const record = writeLegacyToken(living(call, stored), write, checkLegacyRules)
    return {
      changes: [{ table: 'tokens', op: 'put', record, expect: stored?.ModifyIndex ?? 0 }],
      answer: () => json({ ID: record.SecretID }),
    }
  })
}

function checkLegacyRules(rules: string): void {
  if (rules.trim() !== '') parseLegacyRules(rules)
}

/** `true`, also for an unknown secret; works on tokens of the new API too. */
export function destroyLegacyHandler(call: Call): Promise<Answer> {
  const { store } = call.api
  const secretId = requireSecret(call)
  if (secretId === ANONYMOUS_TOKEN_SECRET_ID) {
    throw new AclError('root_name_refused', 'Permission denied: Cannot delete anonymous token')
  }
  return decideAndCommit(store, async () => {
    const existing = living(call, await store.tokenBySecret(secretId))
    if (!existing) return { changes: [], answer: () => json(true) }
    return {
      changes: [{ table: 'tokens', op: 'delete', record: existing, expect: existing.ModifyIndex }],
      answer: () => json(true),
    }
  })
}

/** An array of none or one: whoever knows the secret may see its token. */
export async function infoLegacyHandler(call: Call): Promise<Answer> {
  const token = living(call, await call.api.store.tokenBySecret(requireSecret(call)))
  const legacy = token && toLegacyToken(token)
  return json(legacy ? [legacy] : [], { topic: 'tokens', filtered: true })
}

/** A new secret with the same rights. */
export function cloneLegacyHandler(call: Call): Promise<Answer> {
  const { store, random } = call.api
  const secretId = requireSecret(call)
  return decideAndCommit(store, async () => {
    const source = living(call, await store.tokenBySecret(secretId))
    const legacy = source && toLegacyToken(source)
    if (!legacy) throw new AclError('privilege_missing', 'Permission denied')
    const record = writeLegacyToken(undefined, { ...legacy, ID: randomUuid(random) }, () => undefined)
    return {
      changes: [{ table: 'tokens', op: 'put', record, expect: 0 }],
      answer: () => json({ ID: record.SecretID }),
    }
  })
}

/** All of them, in the byte order of their IDs. */
export async function listLegacyHandler(call: Call): Promise<Answer> {
  const legacy: LegacyToken[] = []
  for await (const tokens of call.api.store.tokens({ legacy: true })) legacy.push(...tokens.flatMap(asLegacy))
  legacy.sort((a, b) => compareUtf8(a.ID, b.ID))
  return json(legacy, { topic: 'tokens', filtered: true })
}

/** All of them, in the order of their creation, page by page: an export may be larger than the memory. */
export function exportLegacyHandler(call: Call): Answer {
  const pages = call.api.store.tokens({ legacy: true })
  return { body: { kind: 'json-stream', pages: exported(pages) } }
}

async function* exported(pages: AsyncIterable<readonly TokenRecord[]>): AsyncGenerator<string> {
  for await (const tokens of pages) yield JSON.stringify(tokens.flatMap(asLegacy)).slice(1, -1)
}

function asLegacy(token: TokenRecord): LegacyToken[] {
  const legacy = toLegacyToken(token)
  return legacy ? [legacy] : []
}

function requireSecret(call: Call): string {
  const secretId = call.params.ID ?? ''
  if (secretId === '') throw new AclError('id_missing', 'Missing ACL', { field: 'ID' })
  if (ROOT_NAMES.has(secretId))
    throw new AclError('root_name_refused', 'Permission denied: Cannot modify root ACL')
  return secretId
}

/**
 * A token of the new API that has expired is as absent here as anywhere, whether or not the reaper has come by: a legacy
 * token may have its secret, and takes over its row. Decisions: tokens.
 */
function living(call: Call, token: TokenRecord | undefined): TokenRecord | undefined {
  return token && isExpired(token, call.api.clock.now()) ? undefined : token
}
