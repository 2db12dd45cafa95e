/** Finds, writes and renders tokens for the legacy API. Spec 9.1, 9.2.4. */

import type { TokenRecord } from '@latchkey/acl'
import {
  DEFAULT_NAMESPACE,
  findRulesProblem,
  isGone,
  type LegacyWrite,
  ROOT_NAMES,
  toLegacyToken,
  writeLegacyToken,
} from '@latchkey/acl'
import { AclError, type LegacyToken, type LegacyTokenRequest, REDACTED_SECRET_ID } from '@latchkey/contract'
import { seesSecret } from '../caller/authority.ts'
import { type Answer, type Context, json } from '../handler.ts'
import { readToWrite } from '../request/read-in-turns.ts'
import { decideAndCommitFor } from '../store/commit.ts'

/** Writes a token under an ID; an existing legacy one is overwritten. */
export async function writeLegacy(
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
  const rulesProblem = await readToWrite(call, write.Rules, () =>
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
export function legacyEntries(call: Context, tokens: readonly TokenRecord[]): LegacyToken[] {
  return tokens.flatMap((token) => {
    const legacy = toLegacyToken(token)
    if (!legacy) return []
    return [seesSecret(call, token) ? legacy : { ...legacy, ID: REDACTED_SECRET_ID }]
  })
}

/** @throws AclError `root_name_refused`. */
export function requireSecret({ ID: secretId }: { readonly ID: string }): string {
  if (ROOT_NAMES.has(secretId))
    throw new AclError('root_name_refused', 'Permission denied: Cannot modify root ACL')
  return secretId
}

/**
 * An expired token of the new API counts as absent, whether or not it was reaped: a legacy token may take over its secret and
 * row. Tokens outside `default`, the namespace of this API, also count as absent. Decisions: tokens, namespaces.
 */
export function living(call: Context, token: TokenRecord | undefined): TokenRecord | undefined {
  const { clock, store } = call.service
  if (!token || !isInReach(call, token)) return undefined
  return isGone(token, clock.now(), store.directory()) ? undefined : token
}

function isInReach({ isFromSecondary }: Context, { Namespace, Local }: TokenRecord): boolean {
  return Namespace === DEFAULT_NAMESPACE && !(isFromSecondary && Local)
}
