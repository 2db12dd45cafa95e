/** Proposes a policy or an identity for each group of equal decisions; too long rules become several, and a role. */
import { createHash } from 'node:crypto'
import { limits } from '@latchkey/contract'
import { InputError } from '../errors.ts'
import { descriptionOf, Existing } from './existing.ts'
import type { ConversionPlan, PlannedToken } from './files/plan-schema.ts'
import { type Catalog, hasIdentity, Identities } from './identities.ts'
import { groupSlug, Names } from './names.ts'
import { NO_DECISIONS, type ReviewDecisions } from './review-decisions.ts'
import { type CanonicalRule, printPolicy } from './rules/canonical-rules.ts'
import type { TokenIntake } from './token-intake.ts'

export interface ConversionOptions {
  readonly review?: ReviewDecisions
  readonly catalog?: Catalog | undefined
  readonly existing?: Existing | undefined
}

export function makeConversion(
  intake: TokenIntake,
  { review = NO_DECISIONS, catalog, existing = new Existing() }: ConversionOptions = {},
): Conversion {
  const collisions: string[] = []
  const namesOf = (field: 'policies' | 'roles') =>
    namesFor(review[field], existing, (id, name, problem) => {
      collisions.push(`${field}.${id} ${JSON.stringify(name)} ${problem}`)
    })
  const [nameOfPolicy, nameOfRole] = [namesOf('policies'), namesOf('roles')]
  const rejected = new Set(review.rejected)
  const names = new Names()
  const intakeGroups = intake.groups()
  const identities = new Identities(
    intakeGroups.map(({ rules }) => rules),
    catalog,
  )
  const policies: ProposedPolicy[] = []
  const roles: ProposedRole[] = []
  const groups = intakeGroups.map(({ rules, texts, tokens }): TokenGroup => {
    const slug = groupSlug(
      tokens.map(({ name }) => name),
      rules,
    )
    const id = idOf(printPolicy(rules))
    const links = identities.of(rules)
    const group = { id, rejected: rejected.has(id), ...links, texts: [...texts], tokens }
    if (hasIdentity(links)) return { ...group, name: names.take(slug), policies: [], roles: [] }
    const own = splitLong(rules).map((part): ProposedPolicy => {
      const text = printPolicy(part)
      const partId = idOf(text)
      const description = descriptionOf(partId)
      return { id: partId, name: nameOfPolicy(partId, slug, text), description, rules: text }
    })
    policies.push(...own)
    const linked = own.map(({ name }) => name)
    if (own.length === 1 || tokens.length === 1) {
      return {
        ...group,
        name: names.take(own.length === 1 ? (linked[0] ?? '') : slug),
        policies: linked,
        roles: [],
      }
    }
    const roleId = idOf(own.map((policy) => policy.id).join(' '))
    const description = descriptionOf(roleId)
    const role = { id: roleId, name: nameOfRole(roleId, slug), description, policies: linked }
    roles.push(role)
    return { ...group, name: names.take(role.name), policies: [], roles: [role.name] }
  })
  if (collisions.length > 0)
    throw new InputError(`names are not unique; change or remove these: ${collisions.join(', ')}`)
  const { management, cleared, linked, withoutRules, unconvertible } = intake
  const rest = { management, cleared, linked, withoutRules, unconvertible, waiting: [] }
  return { groups, policies, roles, ...rest, identitiesLeft: identities.left, edited: existing.edited }
}

/** The part of a conversion for some of its tokens. The others that can be converted wait for a later stage. */
export function stageOf(conversion: Conversion, isNow: (token: PlannedToken) => boolean): Conversion {
  const waiting: PlannedToken[] = []
  const now = (tokens: readonly PlannedToken[]) =>
    tokens.filter((token) => {
      const isChosen = isNow(token)
      if (!isChosen) waiting.push(token)
      return isChosen
    })
  const groups = conversion.groups
    .map((group) => (group.rejected ? group : { ...group, tokens: now(group.tokens) }))
    .filter(({ tokens }) => tokens.length > 0)
  const [management, cleared] = [now(conversion.management), now(conversion.cleared)]
  return { ...conversion, ...usedBy(conversion, groups), management, cleared, waiting }
}

/** These groups with the policies and roles that they link. */
export function usedBy<Group extends Pick<TokenGroup, 'policies' | 'roles'>>(
  { policies, roles }: Pick<Conversion, 'policies' | 'roles'>,
  groups: readonly Group[],
) {
  const roleNames = new Set(groups.flatMap((group) => group.roles))
  const linkedRoles = roles.filter(({ name }) => roleNames.has(name))
  const names = new Set([...groups, ...linkedRoles].flatMap((each) => each.policies))
  return { groups, roles: linkedRoles, policies: policies.filter(({ name }) => names.has(name)) }
}

function splitLong(rules: readonly CanonicalRule[]): CanonicalRule[][] {
  const parts: CanonicalRule[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const rule of rules) {
    bytes += Buffer.byteLength(rule.text) + 1
    if (bytes > limits.RULES_BYTES_MAX) {
      parts.push([])
      bytes = Buffer.byteLength(rule.text)
    }
    parts.at(-1)?.push(rule)
  }
  return parts
}

/**
 * Names by id: the operator's, otherwise that of an earlier conversion, otherwise a proposal. Reserves the operator's names
 * and those of the service first, so that no proposal uses them.
 */
function namesFor(
  chosen: Readonly<Record<string, string>>,
  existing: Existing,
  collide: (id: string, name: string, problem: string) => void,
) {
  const names = new Names()
  for (const [id, name] of Object.entries(chosen))
    if (!names.reserve(name)) collide(id, name, 'is there twice')
  for (const name of existing.names) names.reserve(name)
  return (id: string, wanted: string, rules?: string): string => {
    const applied = existing.nameOf(id, rules)
    const name = Object.hasOwn(chosen, id) ? chosen[id] : undefined
    if (name === undefined) return applied ?? names.take(wanted)
    if (name !== applied && existing.names.has(name.toLowerCase()))
      collide(id, name, 'exists in the service with other rules')
    return name
  }
}

const ID_LENGTH = 12

function idOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, ID_LENGTH)
}

export interface TokenGroup extends Omit<ConversionPlan['groups'][number], 'texts'> {
  readonly texts: readonly string[]
}

type ProposedPolicy = ConversionPlan['policies'][number]
type ProposedRole = ConversionPlan['roles'][number]

export interface Conversion
  extends Pick<
    ConversionPlan,
    'policies' | 'roles' | 'management' | 'cleared' | 'linked' | 'waiting' | 'unconvertible'
  > {
  readonly groups: readonly TokenGroup[]
  readonly withoutRules: readonly PlannedToken[]
  /** Groups whose rules have the form of an identity but become a policy. */
  readonly identitiesLeft: number
  /** Names of policies of an earlier conversion that have other rules now. */
  readonly edited: readonly string[]
}

export function acceptedGroups<Group extends Pick<TokenGroup, 'rejected'>>(conversion: {
  readonly groups: readonly Group[]
}): readonly Group[] {
  return conversion.groups.filter(({ rejected }) => !rejected)
}

export function planOf(
  { withoutRules, identitiesLeft: _, edited: __, ...conversion }: Conversion,
  { upgrade, ...facts }: Pick<ConversionPlan, 'proof' | 'upgrade' | 'refused'>,
): ConversionPlan {
  const outcome = ({ verdict, reasons }: ConversionPlan['upgrade']['converted']) => ({ verdict, reasons })
  return {
    format: 1,
    ...conversion,
    groups: conversion.groups.map((group) => ({ ...group, texts: group.texts.length })),
    withoutRules: withoutRules.length,
    ...facts,
    upgrade: { unconverted: outcome(upgrade.unconverted), converted: outcome(upgrade.converted) },
  }
}
