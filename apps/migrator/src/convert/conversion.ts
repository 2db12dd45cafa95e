/** A proposed conversion: the policies and roles to create, and the links of each legacy token. */
import type { ConversionPlan, PlannedToken } from './files/plan-schema.ts'

/** A token of the dump, without its ID, which is the secret. */
export type TokenRef = PlannedToken

export interface TokenGroup extends Omit<ConversionPlan['groups'][number], 'texts'> {
  readonly texts: readonly string[]
}

export type ProposedPolicy = ConversionPlan['policies'][number]
export type ProposedRole = ConversionPlan['roles'][number]

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
