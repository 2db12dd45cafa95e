/**
 * Legacy tokens as stored records, and the writes that the legacy API allows. Spec 9.2.4. A legacy token is a record
 * with a `Type`; its secret may be any text.
 */
import {
  AclError,
  type AclErrorCode,
  type LegacyToken,
  REDACTED_SECRET_ID,
  ZERO_TIME,
} from '@latchkey/contract'
import { ANONYMOUS_TOKEN_ACCESSOR_ID, ROOT_NAMES } from '../builtin.ts'
import { hasLinks } from '../links.ts'
import { BLANK_TOKEN, type TokenRecord } from '../records/records.ts'
import { withTokenHash } from '../token/create-token.ts'

/** The body of a legacy create or update, with defaults filled in and Type unchecked. */
export interface LegacyWrite {
  readonly ID: string
  readonly Name: string
  readonly Type: string
  readonly Rules: string
}

/**
 * The stored record for a listed legacy token: no accessor until the migration, no creation time, all rights in Type
 * and Rules. Keeps the listed indexes.
 */
export function fromLegacyToken(legacy: LegacyToken): TokenRecord {
  return withTokenHash({
    ...BLANK_TOKEN,
    SecretID: legacy.ID,
    Description: legacy.Name,
    Rules: legacy.Rules,
    Type: legacy.Type,
    CreateTime: ZERO_TIME,
    CreateIndex: legacy.CreateIndex,
    ModifyIndex: legacy.ModifyIndex,
  })
}

/** The token in answers of the legacy API; `undefined` if the new API created or converted it. */
export function toLegacyToken(token: TokenRecord): LegacyToken | undefined {
  if (token.Type === '') return undefined
  const { SecretID: ID, Description: Name, Type, Rules, CreateIndex, ModifyIndex } = token
  return { ID, Name, Type, Rules, CreateIndex, ModifyIndex }
}

/**
 * Decides a legacy create or update, which are one operation: both create or overwrite. Keeps an accessor
 * from the migration.
 * @param existing the token with this secret, legacy or not.
 * @param rulesProblem the error in the rules, parsed as legacy rules.
 * @returns the record to store, with the indexes of `existing` or 0.
 */
export function writeLegacyToken(
  existing: TokenRecord | undefined,
  write: LegacyWrite,
  rulesProblem: AclError | undefined,
): TokenRecord {
  const { ID, Name, Type, Rules } = write
  const refuse = (code: AclErrorCode, message: string, field = 'ID') => new AclError(code, message, { field })
  if (Type !== 'client' && Type !== 'management') {
    throw refuse('field_invalid', 'Invalid ACL Type: Type must be client or management', 'Type')
  }
  if (existing !== undefined && usesNewFields(existing)) {
    throw refuse('legacy_token_immutable', 'Cannot use legacy endpoint to modify a non-legacy token')
  }
  if (ROOT_NAMES.has(ID)) throw refuse('root_name_refused', 'Permission denied: Cannot modify root ACL')
  if (ID === REDACTED_SECRET_ID) {
    throw refuse('id_reserved', `ID cannot be ${REDACTED_SECRET_ID}, the placeholder of a redacted secret`)
  }
  if (ID.toLowerCase() === ANONYMOUS_TOKEN_ACCESSOR_ID) {
    // Ids are unique across accessors and secrets: this ID would prevent the anonymous token from getting its accessor.
    throw refuse('id_reserved', 'ID cannot be the accessor of the anonymous token')
  }
  if (rulesProblem) throw rulesProblem
  const { CreateIndex, ModifyIndex } = existing ?? { CreateIndex: 0, ModifyIndex: 0 }
  const fresh = fromLegacyToken({ ID, Name, Type, Rules, CreateIndex, ModifyIndex })
  return existing === undefined ? fresh : { ...fresh, AccessorID: existing.AccessorID }
}

/** The predicates of {@link LEGACY_RIGHTS}. A store may evaluate them in its own query language. */
const TOKEN_FACTS = {
  isLinked: hasLinks,
  isManagement: ({ Type }: TokenRecord) => Type === 'management',
  hasAccessor: ({ AccessorID }: TokenRecord) => AccessorID !== '',
  hasRules: ({ Rules }: TokenRecord) => Rules !== '',
} satisfies Record<string, (token: TokenRecord) => boolean>

export type TokenFact = keyof typeof TOKEN_FACTS

/**
 * Tokens whose rights come only from the legacy system and end with it at 1.11: a client token with rules, or a
 * management token that the migration will not link because it already has an accessor. A token matches if one set of
 * facts applies.
 */
export const LEGACY_RIGHTS: readonly Readonly<Partial<Record<TokenFact, boolean>>>[] = [
  { isLinked: false, isManagement: true, hasAccessor: true },
  { isLinked: false, isManagement: false, hasRules: true },
]

export function hasLegacyRights(token: TokenRecord): boolean {
  return LEGACY_RIGHTS.some((facts) =>
    Object.entries(facts).every(([fact, expected]) => TOKEN_FACTS[fact as TokenFact](token) === expected),
  )
}

/**
 * Whether a token has properties that legacy tokens cannot have. A migrated management token does, because it has a
 * link.
 */
function usesNewFields(token: TokenRecord): boolean {
  return token.Type === '' || token.AuthMethod !== '' || token.ExpirationTime !== undefined || hasLinks(token)
}
