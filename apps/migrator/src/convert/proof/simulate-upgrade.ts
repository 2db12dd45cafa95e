/** Simulates the upgrade from 1.10 to 1.11 with the tokens of a dump: once as they are, once after the conversion. */

import { runSimulation } from '../../output/result.ts'
import { LAST_WITH_LEGACY, planRoute } from '../../plan/route.ts'
import type { Scenario, TokenGroup } from '../../scenario/scenario.ts'
import { LEGACY_REMOVED } from '../../version.ts'
import { acceptedGroups, type Conversion } from '../make-conversion.ts'

export type UpgradeOutcomes = ReturnType<typeof simulateUpgrade>

export function simulateUpgrade(conversion: Conversion, cluster: Scenario) {
  const tokens = tokenGroups(conversion)
  const at110: Scenario = {
    ...cluster,
    model: 'latchkey',
    tokens: tokens.filter(({ count }) => count > 0),
    workloads: [],
    intentions: [],
    datacenters: cluster.datacenters.map((datacenter) => ({
      ...datacenter,
      agents: [],
      servers: datacenter.servers
        .filter(({ status }) => status === 'alive')
        .map((server) => ({ ...server, from: LAST_WITH_LEGACY, acls: true })),
    })),
  }
  const outcomeOf = (convert: number) => {
    const { scenario } = planRoute(at110, { to: LEGACY_REMOVED, withRules: convert, unlinked: 0, convert })
    return runSimulation(scenario, { replay: '' }).result
  }
  return { unconverted: outcomeOf(0), converted: outcomeOf(tokens[0]?.count ?? 0) }
}

function tokenGroups(conversion: Conversion): TokenGroup[] {
  const sizeOf = (groups: readonly { readonly tokens: readonly unknown[] }[]) =>
    groups.reduce((sum, { tokens }) => sum + tokens.length, 0)
  // Tokens of later stages count as converted: the upgrade comes after the last stage.
  const later = conversion.waiting.length
  const converted = sizeOf(acceptedGroups(conversion)) + conversion.cleared.length + later
  const left = sizeOf(conversion.groups.filter(({ rejected }) => rejected)) + conversion.unconvertible.length
  const kept = { unwritable: false } as const
  return [
    { type: 'client', count: converted, rules: undefined, ...kept },
    { type: 'client', count: left, rules: undefined, ...kept },
    { type: 'client', count: conversion.withoutRules.length, rules: '', ...kept },
    { type: 'management', count: conversion.management.length, rules: '', ...kept },
  ]
}
