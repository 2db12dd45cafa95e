/**
 * Legacy tokens as stored records, and what the legacy API may do with them. Spec 9.2.4.
 * A legacy token is a record with a `Type`; its secret may be any text.
 */
import { AclError, type LegacyToken, REDACTED_SECRET_ID, ZERO_TIME } from '@latchkey/contract'
import { ANONYMOUS_TOKEN_ACCESSOR_ID, ROOT_NAMES } from '../builtin.ts'
import { tokenHash } from '../hash.ts'
import { hasLinks } from '../links.ts'
import { DEFAULT_NAMESPACE, type TokenRecord } from '../records/records.ts'

/** What a legacy create or update says, its defaults filled in. Type is as written, checked here. */
export interface LegacyWrite {
  readonly ID: string
  readonly Name: string
  readonly Type: string
  readonly Rules: string
}

/**
 * The stored record of a legacy token as an old service lists it: no accessor until the migration, no creation time, all
 * rights in Type and Rules. The indexes are the list's.
 */
export function fromLegacyToken(legacy: LegacyToken): TokenRecord {
  const record: TokenRecord = {
    AccessorID: '',
    SecretID: legacy.ID,
    Description: legacy.Name,
    Policies: [],
    Roles: [],
    ServiceIdentities: [],
    NodeIdentities: [],
    Rules: legacy.Rules,
    Type: legacy.Type,
    Local: false,
    AuthMethod: '',
    ExpirationTime: undefined,
    CreateTime: ZERO_TIME,
    Hash: '',
    CreateIndex: legacy.CreateIndex,
    ModifyIndex: legacy.ModifyIndex,
    Namespace: DEFAULT_NAMESPACE,
  }
  return { ...record, Hash: tokenHash(record) }
}

/** The token as the legacy API shows it; `undefined` for one that it does not know: made or converted by the new API. */
export function toLegacyToken(token: TokenRecord): LegacyToken | undefined {
  if (token.Type === '') return undefined
  const { SecretID: ID, Description: Name, Type, Rules, CreateIndex, ModifyIndex } = token
  return { ID, Name, Type, Rules, CreateIndex, ModifyIndex }
}

/**
 * Decides a legacy create or update: one operation, as an update of what does not exist creates, and a create of what
 * exists overwrites. An accessor that the migration gave is kept.
 *
 * @param existing the token that has the secret now, whatever its kind.
 * @param rulesProblem what is wrong with the rules, read as legacy ones.
 * @returns the record to store; its indexes are those of `existing`, or 0.
 * @throws AclError `field_invalid` for another Type than client and management; `root_name_refused`, or `id_reserved` for
 * the redaction text and the anonymous token's accessor, as ID; `legacy_token_immutable` where `existing` has what legacy
 * tokens cannot have; `rules_invalid`.
 */
export function writeLegacyToken(
  existing: TokenRecord | undefined,
  write: LegacyWrite,
  rulesProblem: AclError | undefined,
): TokenRecord {
  const { ID, Name, Type, Rules } = write
  if (Type !== 'client' && Type !== 'management') {
    throw new AclError('field_invalid', `Invalid ACL Type: Type must be client or management`, {
      field: 'Type',
    })
  }
  if (existing !== undefined && usesNewFields(existing)) {
    throw new AclError('legacy_token_immutable', 'Cannot use legacy endpoint to modify a non-legacy token', {
      field: 'ID',
    })
  }
  if (ROOT_NAMES.has(ID)) {
    throw new AclError('root_name_refused', 'Permission denied: Cannot modify root ACL', { field: 'ID' })
  }
  if (ID === REDACTED_SECRET_ID) {
    throw new AclError(
      'id_reserved',
      `ID cannot be ${REDACTED_SECRET_ID}, the placeholder of a redacted secret`,
      {
        field: 'ID',
      },
    )
  }
  if (ID.toLowerCase() === ANONYMOUS_TOKEN_ACCESSOR_ID) {
    // An id is accessor or secret once: the migration could never give the anonymous token its own.
    throw new AclError('id_reserved', 'ID cannot be the accessor of the anonymous token', { field: 'ID' })
  }
  if (rulesProblem) throw rulesProblem
  const { CreateIndex, ModifyIndex } = existing ?? { CreateIndex: 0, ModifyIndex: 0 }
  const fresh = fromLegacyToken({ ID, Name, Type, Rules, CreateIndex, ModifyIndex })
  return existing === undefined ? fresh : { ...fresh, AccessorID: existing.AccessorID }
}

/** What the rule of legacy rights asks of a token. A store may ask the same in a language of its own. */
const TOKEN_FACTS = {
  isLinked: hasLinks,
  isManagement: ({ Type }: TokenRecord) => Type === 'management',
  hasAccessor: ({ AccessorID }: TokenRecord) => AccessorID !== '',
  hasRules: ({ Rules }: TokenRecord) => Rules !== '',
} satisfies Record<string, (token: TokenRecord) => boolean>

export type TokenFact = keyof typeof TOKEN_FACTS

/**
 * Tokens whose rights come from the legacy system alone and end with it at 1.11, as one of several sets of facts: a client
 * token with rules, or a management token that the migration will not link any more, as it has an accessor already.
 */
export const LEGACY_RIGHTS: readonly Readonly<Partial<Record<TokenFact, boolean>>>[] = [
  { isLinked: false, isManagement: true, hasAccessor: true },
  { isLinked: false, isManagement: false, hasRules: true },
]

/** Whether one of {@link LEGACY_RIGHTS} holds for a token. */
export function hasLegacyRights(token: TokenRecord): boolean {
  return LEGACY_RIGHTS.some((facts) =>
    Object.entries(facts).every(([fact, expected]) => TOKEN_FACTS[fact as TokenFact](token) === expected),
  )
}

/** Whether a token has what legacy tokens cannot have; a migrated management token does, as it is linked. */
function usesNewFields(token: TokenRecord): boolean {
  return token.Type === '' || token.AuthMethod !== '' || token.ExpirationTime !== undefined || hasLinks(token)
}
