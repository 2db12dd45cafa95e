/** Simulates the upgrade from 1.10 to 1.11 with the tokens of a dump: once as they are, once after the conversion. */
import { batchesDurationMs } from '@latchkey/acl'
import { parseServiceVersion } from '@latchkey/contract'
import type { Finding, Verdict } from '../../findings/finding.ts'
import { runSimulation } from '../../output/run-simulation.ts'
import type { Scenario, ScenarioEvent, TokenGroup } from '../../scenario/scenario.ts'
import { acceptedGroups, type Conversion } from '../conversion.ts'

/** The last version with the legacy system, in which tokens are converted, and the first version without it. */
const LAST_WITH_LEGACY = parseServiceVersion('1.10.12')
const WITHOUT_LEGACY = parseServiceVersion('1.11')

const MIGRATION_MARGIN_MS = 60_000
/** Time between the replacements of two servers, and the duration of a replacement. */
const INTERVAL_MS = 30_000
const DOWNTIME_MS = 3_000

interface UpgradeOutcome {
  readonly verdict: Verdict
  readonly reasons: readonly string[]
  readonly findings: readonly Finding[]
}

export interface UpgradeOutcomes {
  readonly unconverted: UpgradeOutcome
  readonly converted: UpgradeOutcome
}

/** @param cluster provides servers and default policy; its schedule is ignored. */
export function simulateUpgrade(conversion: Conversion, cluster: Scenario): UpgradeOutcomes {
  const tokens = tokenGroups(conversion)
  const count = tokens[0]?.count ?? 0
  return {
    unconverted: outcomeOf(scenarioOf(cluster, tokens, 0)),
    converted: outcomeOf(scenarioOf(cluster, tokens, count)),
  }
}

/** The converted tokens come first, because the simulator converts tokens in order. */
function tokenGroups(conversion: Conversion): TokenGroup[] {
  const sizeOf = (groups: readonly { readonly tokens: readonly unknown[] }[]) =>
    groups.reduce((sum, { tokens }) => sum + tokens.length, 0)
  const converted = sizeOf(acceptedGroups(conversion)) + conversion.cleared.length
  const left = sizeOf(conversion.groups.filter(({ rejected }) => rejected)) + conversion.unconvertible.length
  const kept = { unwritable: false } as const
  return [
    { type: 'client', count: converted, rules: undefined, ...kept },
    { type: 'client', count: left, rules: undefined, ...kept },
    { type: 'client', count: conversion.withoutRules, rules: '', ...kept },
    { type: 'management', count: conversion.management.length, rules: '', ...kept },
  ]
}

function scenarioOf(cluster: Scenario, groups: readonly TokenGroup[], convert: number): Scenario {
  const tokens = groups.filter(({ count }) => count > 0)
  const total = tokens.reduce((sum, { count }) => sum + count, 0)
  const convertMs = batchesDurationMs(total) + MIGRATION_MARGIN_MS
  const place = {}
  const events: ScenarioEvent[] = [
    ...(convert > 0
      ? [{ kind: 'convert-tokens', atMs: convertMs, count: convert, place } satisfies ScenarioEvent]
      : []),
    { kind: 'snapshot', atMs: convertMs + 1_000, server: undefined, place },
  ]
  const datacenters = cluster.datacenters.map((datacenter) => ({
    ...datacenter,
    agents: [],
    servers: datacenter.servers
      .filter(({ joinsLater, status }) => !joinsLater && status === 'alive')
      .map((server) => ({
        ...server,
        version: LAST_WITH_LEGACY,
        from: LAST_WITH_LEGACY,
        startMs: 0,
        acls: true,
      })),
  }))
  const inOrder = datacenters.flatMap(({ servers }) => [
    ...servers.filter(({ isFirstLeader }) => !isFirstLeader),
    ...servers.filter(({ isFirstLeader }) => isFirstLeader),
  ])
  for (const [i, { id }] of inOrder.entries()) {
    const atMs = convertMs + (i + 1) * INTERVAL_MS
    events.push({
      ...{ kind: 'restart', server: id, version: WITHOUT_LEGACY, acls: undefined },
      ...{ downtimeMs: DOWNTIME_MS, atMs, place },
    })
  }
  return {
    ...cluster,
    model: 'latchkey',
    durationMs: undefined,
    datacenters,
    tokens,
    events,
    workloads: [],
    intentions: [],
  }
}

function outcomeOf(scenario: Scenario): UpgradeOutcome {
  const { verdict, reasons, findings } = runSimulation(scenario, { replay: '' }).result
  return { verdict, reasons, findings }
}
