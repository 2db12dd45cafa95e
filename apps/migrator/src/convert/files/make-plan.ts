/** Assembles the plan of a conversion. */
import type { Conversion, TokenRef } from '../conversion.ts'
import type { ConversionProof } from '../proof/prove-conversion.ts'
import type { UpgradeOutcomes } from '../proof/simulate-upgrade.ts'
import type { ConversionPlan, PlannedToken } from './plan-schema.ts'

export function makePlan(
  conversion: Conversion,
  { proof, upgrade, refused }: { proof: ConversionProof; upgrade: UpgradeOutcomes; refused: number },
): ConversionPlan {
  const { policies, roles, groups, methods, withoutRules } = conversion
  const policyNames = (indexes: readonly number[]) => indexes.flatMap((index) => policies[index]?.name ?? [])
  const outcome = ({ verdict, reasons }: UpgradeOutcomes['converted']) => ({ verdict, reasons: [...reasons] })
  return {
    format: 1,
    methods,
    policies: policies.map((each) => ({ ...each })),
    roles: roles.map((each) => ({ ...each, policies: policyNames(each.policies) })),
    groups: groups.map((each) => ({
      id: each.id,
      name: each.name,
      rejected: each.isRejected,
      policies: policyNames(each.policies),
      roles: each.roles.flatMap((role) => roles[role]?.name ?? []),
      texts: each.texts.length,
      tokens: each.tokens.map(plannedToken),
    })),
    management: conversion.management.map(plannedToken),
    cleared: conversion.cleared.map(plannedToken),
    withoutRules,
    unconvertible: conversion.unconvertible.map(({ token, reason }) => ({
      token: plannedToken(token),
      reason,
    })),
    refused,
    proof: {
      ...proof,
      differences: proof.differences.map((each) => ({
        ...each,
        token: plannedToken(each.token),
        question: { ...each.question },
      })),
    },
    upgrade: { unconverted: outcome(upgrade.unconverted), converted: outcome(upgrade.converted) },
  }
}

function plannedToken({ accessor, ...token }: TokenRef): PlannedToken {
  return accessor === undefined ? token : { ...token, accessor }
}
