/** The steps of an upgrade: the order of replacements, what to wait for, and when rollback ends. Spec 9.2. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { agrees, counted } from '../findings/finding.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { formatSeconds } from '../scenario/time.ts'
import { INTENTIONS_AS_ENTRIES, isAtLeast, LEGACY_REMOVED, NEW_ACLS } from '../version.ts'

export interface PlanStep {
  readonly kind: 'snapshot' | 'upgrade' | 'wait' | 'check' | 'convert'
  readonly datacenter?: string
  readonly servers?: readonly string[]
  readonly awaits?: 'new-mode' | 'accessors' | 'intentions'
  readonly text: string
}

interface StepFacts {
  readonly tokens: number
  readonly withRules: number
  readonly migrationMs: number
  /** Whether the scenario has the operator's own servers, rather than default ones. */
  readonly namesServers: boolean
}

/** The steps in order. The target is the newest version in the scenario. */
export function planSteps(scenario: Scenario, facts: StepFacts): PlanStep[] {
  const target = newestOf(scenario)
  const from = oldestOf(scenario)
  const crossesAcls = isBefore(from, NEW_ACLS) && isAtLeast(target, NEW_ACLS)
  const crossesRemoval = isBefore(from, LEGACY_REMOVED) && isAtLeast(target, LEGACY_REMOVED)
  const crossesIntentions = isBefore(from, INTENTIONS_AS_ENTRIES) && isAtLeast(target, INTENTIONS_AS_ENTRIES)
  return [
    ...beforehand(scenario),
    ...(crossesRemoval ? conversion(facts) : []),
    ...scenario.datacenters.flatMap((datacenter) => upgradeOf(datacenter, target, { crossesAcls, ...facts })),
    ...(crossesAcls ? migration(scenario, facts) : []),
    ...(crossesIntentions ? intentions(scenario) : []),
    ...afterwards(scenario, crossesAcls),
  ]
}

export function beforehand(scenario: Scenario): PlanStep[] {
  const secondaries = scenario.datacenters.filter((each) => !each.isPrimary && each.tokenReplication)
  const replication: PlanStep[] = secondaries.map(({ name }) => ({
    kind: 'check',
    datacenter: name,
    text: `Check that the replication token of ${name} exists in the primary and has acl:write.`,
  }))
  return [
    {
      kind: 'check',
      text: 'Check that ACLs are enabled, with the same settings, on every server and agent.',
    },
    ...replication,
    {
      kind: 'snapshot',
      datacenter: scenario.primary,
      text: 'Take a snapshot of every datacenter: it is the only way back after the end of legacy mode.',
    },
  ]
}

export function conversion({ withRules }: Pick<StepFacts, 'withRules'>): PlanStep[] {
  const steps: PlanStep[] = [
    { kind: 'wait', text: 'Stop at 1.10 until every token has an accessor, in every datacenter.' },
  ]
  if (withRules > 0) {
    steps.push({
      kind: 'convert',
      text: `Give policies to ${counted(withRules, 'client token')} whose rights come from rules; from 1.11 such rules are ignored.`,
    })
  }
  return [
    ...steps,
    {
      kind: 'snapshot',
      text: 'After the last legacy write, force a snapshot on every server: 1.11 skips legacy writes in the log.',
    },
  ]
}

function upgradeOf(
  { name, servers, agents, isPrimary }: Scenario['datacenters'][number],
  target: ServiceVersion,
  { crossesAcls, namesServers }: StepFacts & { readonly crossesAcls: boolean },
): PlanStep[] {
  const followers = servers.filter((each) => !each.isFirstLeader).map(({ id }) => id)
  const leader = servers.filter((each) => each.isFirstLeader).map(({ id }) => id)
  const order = [...followers, ...leader]
  const steps: PlanStep[] = [
    {
      kind: 'upgrade',
      datacenter: name,
      ...(namesServers ? { servers: order } : {}),
      text: `Replace the servers of ${name} with ${target.text} one by one, the leader last${namesServers ? `: ${order.join(', ')}` : ''}. Wait until each is back and there is a leader.`,
    },
  ]
  if (crossesAcls) {
    const after = isPrimary ? '' : ' after the last server of the primary'
    steps.push({
      kind: 'wait',
      datacenter: name,
      awaits: 'new-mode',
      text: `Wait until every server of ${name} has left legacy mode: at most ${formatSeconds(isPrimary ? 60_000 : 120_000)}${after}, not counting elections and gossip.`,
    })
  }
  if (agents.length > 0) {
    steps.push({
      kind: 'upgrade',
      datacenter: name,
      servers: agents.map(({ id }) => id),
      text: `Replace the client agents of ${name}, after its servers.`,
    })
  }
  return steps
}

function migration({ primary }: Scenario, { tokens, migrationMs }: StepFacts): PlanStep[] {
  if (tokens === 0) return []
  return [
    {
      kind: 'wait',
      datacenter: primary,
      awaits: 'accessors',
      text: `Wait for the ${agrees(tokens, 'accessor', 'accessors')} of ${counted(tokens, 'token')}${migrationMs === 0 ? ', in one batch' : `: at least ${formatSeconds(migrationMs)} from the first batch to the last`}. Do not delete tokens until then.`,
    },
  ]
}

function intentions({ intentions: list }: Scenario): PlanStep[] {
  if (list.length === 0) return []
  return [
    {
      kind: 'wait',
      awaits: 'intentions',
      text: `Do not write intentions until every server of the primary runs 1.9.0 and ${counted(list.length, 'intention')} ${agrees(list.length, 'is', 'are')} migrated: until then, writes are refused.`,
    },
  ]
}

export function afterwards({ datacenters }: Scenario, crossesAcls: boolean): PlanStep[] {
  if (!crossesAcls) return []
  const secondaries = datacenters.filter((each) => !each.isPrimary)
  const ghosts: PlanStep[] = secondaries.map(({ name }) => ({
    kind: 'check',
    datacenter: name,
    text: `Check that ${name} lists no token with an empty accessor, and that its replication has succeeded since.`,
  }))
  return [{ kind: 'check', text: 'Call bootstrap without a token: it must be refused.' }, ...ghosts]
}

export function newestOf({ datacenters, events }: Scenario): ServiceVersion {
  const given = events.flatMap((each) =>
    'version' in each && each.version !== undefined ? [each.version] : [],
  )
  const planned = datacenters.flatMap((each) => each.servers.map((server) => server.version))
  return [...planned, ...given].reduce((a, b) => (isBefore(a, b) ? b : a))
}

export function oldestOf({ datacenters }: Scenario): ServiceVersion {
  return datacenters
    .flatMap((each) => each.servers.map(({ from }) => from))
    .reduce((a, b) => (isBefore(b, a) ? b : a))
}
