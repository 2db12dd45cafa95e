/** Proposes a policy for each group of equal decisions; too long rules become several, and a role. */
import { createHash } from 'node:crypto'
import { limits } from '@latchkey/contract'
import { InputError } from '../errors.ts'
import { counted } from '../findings/finding.ts'
import type { ConversionPlan } from './files/plan-schema.ts'
import { groupSlug, Names } from './names.ts'
import { NO_DECISIONS, type ReviewDecisions } from './review-decisions.ts'
import { type CanonicalRule, printPolicy } from './rules/canonical-rules.ts'
import type { TokenIntake } from './token-intake.ts'

export function makeConversion(intake: TokenIntake, review: ReviewDecisions = NO_DECISIONS): Conversion {
  const nameOfPolicy = namesFor(review.policies)
  const nameOfRole = namesFor(review.roles)
  const rejected = new Set(review.rejected)
  const names = new Names()
  const policies: ProposedPolicy[] = []
  const roles: ProposedRole[] = []
  const groups = intake.groups().map(({ rules, texts, tokens }): TokenGroup => {
    const slug = groupSlug(
      tokens.map(({ name }) => name),
      rules,
    )
    const description = `Converted from the legacy rules of ${counted(tokens.length, 'token')}`
    const own = splitLong(rules).map((part): ProposedPolicy => {
      const text = printPolicy(part)
      const id = idOf(text)
      return { id, name: nameOfPolicy(id, slug), description, rules: text }
    })
    policies.push(...own)
    const linked = own.map(({ name }) => name)
    const id = idOf(printPolicy(rules))
    const group = { id, rejected: rejected.has(id), texts: [...texts], tokens }
    if (own.length === 1 || tokens.length === 1) {
      return {
        ...group,
        name: names.take(own.length === 1 ? (linked[0] ?? '') : slug),
        policies: linked,
        roles: [],
      }
    }
    const roleId = idOf(own.map((policy) => policy.id).join(' '))
    const role = { id: roleId, name: nameOfRole(roleId, slug), description, policies: linked }
    roles.push(role)
    return { ...group, name: names.take(role.name), policies: [], roles: [role.name] }
  })
  const { management, cleared, withoutRules, unconvertible } = intake
  return { groups, policies, roles, management, cleared, withoutRules, unconvertible }
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

/** Names by id: the operator's, otherwise a proposal. Reserves the operator's names first, so that no proposal uses them. */
function namesFor(chosen: Readonly<Record<string, string>>): (id: string, wanted: string) => string {
  const names = new Names()
  for (const name of Object.values(chosen)) {
    if (names.reserve(name)) continue
    throw new InputError(`the names are not unique: ${JSON.stringify(name)} is there twice`)
  }
  return (id, wanted) => (Object.hasOwn(chosen, id) ? (chosen[id] ?? '') : names.take(wanted))
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
    'policies' | 'roles' | 'management' | 'cleared' | 'withoutRules' | 'unconvertible'
  > {
  readonly groups: readonly TokenGroup[]
}

export function acceptedGroups({ groups }: Pick<Conversion, 'groups'>): readonly TokenGroup[] {
  return groups.filter(({ rejected }) => !rejected)
}

export function planOf(
  conversion: Conversion,
  { upgrade, ...facts }: Pick<ConversionPlan, 'proof' | 'upgrade' | 'refused'>,
): ConversionPlan {
  const outcome = ({ verdict, reasons }: ConversionPlan['upgrade']['converted']) => ({ verdict, reasons })
  return {
    format: 1,
    ...conversion,
    groups: conversion.groups.map((group) => ({ ...group, texts: group.texts.length })),
    ...facts,
    upgrade: { unconverted: outcome(upgrade.unconverted), converted: outcome(upgrade.converted) },
  }
}
