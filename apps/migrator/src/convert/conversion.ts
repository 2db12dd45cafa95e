/** A proposed conversion: the policies and roles to create, and the links of each legacy token. */
import type { CanonicalRule } from './rules/canonical-rules.ts'
import type { Method } from './solve/factor-rules.ts'

/** A token of the dump. Its ID, the secret, is not kept. */
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

/** Tokens whose rules decide equally. */
export interface TokenGroup {
  /** The beginning of a hash of its rules: the same rules have the same in every run. */
  readonly id: string
  readonly name: string
  readonly rules: readonly CanonicalRule[]
  /** The rules of its tokens as the dump has them, each text once. */
  readonly texts: readonly string[]
  readonly tokens: readonly TokenRef[]
  /** What each token links: indexes of policies and roles. */
  readonly policies: readonly number[]
  readonly roles: readonly number[]
  /** The operator rejected it in the review. Its tokens stay as they are. */
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
  /** Tokens that the built-in policy global-management gives every right. */
  readonly management: readonly TokenRef[]
  /** Tokens whose rules decide nothing: they lose the text and get no policy. */
  readonly cleared: readonly TokenRef[]
  /** Tokens without rules, for which there is nothing to do. */
  readonly withoutRules: number
  /** Tokens whose rules cannot be read. They stay as they are. */
  readonly unconvertible: readonly UnconvertibleToken[]
}

/** The policies of a token of the group, through roles and directly. Ascending. */
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
