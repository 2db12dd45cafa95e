/** A proposed conversion: the policies and roles to create, and the links of each legacy token. */
import type { CanonicalRule } from './rules/canonical-rules.ts'
import type { Method } from './solve/factor-rules.ts'

/** A token of the dump, without its ID, which is the secret. */
export interface TokenRef {
  readonly name: string
  /** The first digits of the SHA-256 of its ID. */
  readonly idHash: string
  /** Undefined if neither the dump nor the token list shows it. */
  readonly accessor: string | undefined
  /** From 0. */
  readonly position: number
  readonly line: number
  readonly byte: number
}

/** Tokens whose rules make the same decisions. */
export interface TokenGroup {
  /** A prefix of a hash of its rules. The same rules have the same id in every run. */
  readonly id: string
  readonly name: string
  readonly rules: readonly CanonicalRule[]
  /** The rules of its tokens as in the dump, without duplicates. */
  readonly texts: readonly string[]
  readonly tokens: readonly TokenRef[]
  /** The links of each token, as indexes of policies and roles. */
  readonly policies: readonly number[]
  readonly roles: readonly number[]
  /** Whether the operator rejected the group in the review. Its tokens are then not converted. */
  readonly isRejected: boolean
}

export interface ProposedPolicy {
  readonly id: string
  readonly name: string
  readonly description: string
  /** HCL. */
  readonly rules: string
}

export interface ProposedRole {
  readonly id: string
  readonly name: string
  readonly description: string
  /** Indexes of policies, ascending. */
  readonly policies: readonly number[]
}

export interface UnconvertibleToken {
  readonly token: TokenRef
  readonly reason: string
}

export interface Conversion {
  readonly groups: readonly TokenGroup[]
  readonly policies: readonly ProposedPolicy[]
  readonly roles: readonly ProposedRole[]
  readonly methods: { readonly policies: Method; readonly roles: Method }
  /** Tokens that get every right from the built-in policy global-management. */
  readonly management: readonly TokenRef[]
  /** Tokens whose rules have no effect: the conversion removes the rules and links no policy. */
  readonly cleared: readonly TokenRef[]
  /** Tokens without rules, which need no conversion. */
  readonly withoutRules: number
  /** Tokens whose rules cannot be parsed. They are not converted. */
  readonly unconvertible: readonly UnconvertibleToken[]
}

/** The policies that a token of the group links through roles and directly, ascending. */
export function policiesOf(
  { policies, roles }: Pick<TokenGroup, 'policies' | 'roles'>,
  conversion: Pick<Conversion, 'roles'>,
): number[] {
  const all = new Set([...policies, ...roles.flatMap((role) => conversion.roles[role]?.policies ?? [])])
  return [...all].sort((a, b) => a - b)
}

/** The groups to convert. */
export function acceptedGroups({ groups }: Pick<Conversion, 'groups'>): readonly TokenGroup[] {
  return groups.filter(({ isRejected }) => !isRejected)
}
