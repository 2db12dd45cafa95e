/** The steps of an upgrade: the order of replacements, what to wait for, and when rollback ends. Spec 9.2. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { recordsOf } from '../check/facts.ts'
import { agrees, counted } from '../findings/finding.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { formatSeconds, toSeconds } from '../scenario/time.ts'
import type { History } from '../simulate/run.ts'
import { INTENTIONS_AS_ENTRIES, isAtLeast, LEGACY_REMOVED, NEW_ACLS } from '../version.ts'

export interface PlanStep {
  readonly kind: 'snapshot' | 'upgrade' | 'wait' | 'check' | 'convert'
  readonly datacenter?: string
  readonly servers?: readonly string[]
  readonly awaits?: 'new-mode' | 'accessors' | 'intentions'
  readonly text: string
}

export interface StepFacts {
  readonly tokens: number
  /** Client tokens whose rights come from rules. */
  readonly withRules: number
  /** Management tokens that the migration has passed without linking them. */
  readonly unlinked: number
  readonly migrationMs: number
  readonly namesServers: boolean
}

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

export function conversion({ withRules, unlinked }: Pick<StepFacts, 'withRules' | 'unlinked'>): PlanStep[] {
  const steps: PlanStep[] = [
    { kind: 'wait', text: 'Stop at 1.10 until every token has an accessor, in every datacenter.' },
  ]
  if (withRules > 0) {
    steps.push({
      kind: 'convert',
      text: `Give policies to ${counted(withRules, 'client token')} whose rights come from rules; from 1.11 such rules are ignored.`,
    })
  }
  if (unlinked > 0) {
    steps.push({
      kind: 'convert',
      text: `Link global-management to ${counted(unlinked, 'management token')} that ${agrees(unlinked, 'has', 'have')} no policy; from 1.11 the type is ignored.`,
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

export interface TimedStep extends PlanStep {
  /** `before` the first replacement, `at` a time of the schedule, predicted to end `by` a time, or `after` the upgrade. */
  readonly when: 'before' | 'at' | 'by' | 'after'
  /** Null if the simulation predicts that it never happens. */
  readonly at: number | null
  readonly parts: readonly { readonly name: string; readonly at: number | null }[]
}

export function timeSteps(steps: readonly PlanStep[], scenario: Scenario, history: History): TimedStep[] {
  const firstUpgrade = steps.findIndex(({ kind }) => kind === 'upgrade')
  const starts = steps.flatMap((step) => partsOf(step, scenario).map(({ at }) => at))
  const firstStart = starts.length === 0 ? 0 : Math.min(...starts)
  const ends = steps.map((step) => endOf(step, history))
  const last = ends.includes(null) ? null : Math.max(toSeconds(history.endedAt), ...starts)
  const timed = steps.map((step, i): TimedStep => {
    const parts = partsOf(step, scenario)
    if (parts.length > 0) {
      return { ...step, text: scheduledText(step, parts, scenario), when: 'at', at: parts[0]?.at ?? 0, parts }
    }
    const end = ends[i]
    if (end !== undefined) return { ...step, when: 'by', at: end, parts }
    return i < firstUpgrade
      ? { ...step, when: 'before', at: firstStart, parts }
      : { ...step, when: 'after', at: last, parts }
  })
  return inOrder(timed)
}

function inOrder(steps: readonly TimedStep[]): TimedStep[] {
  let key = 0
  const keyed = steps.map((step) => {
    if (step.when === 'before') key = Number.NEGATIVE_INFINITY
    else if (step.when === 'after') key = Number.POSITIVE_INFINITY
    else key = step.at ?? key
    return { step, key }
  })
  return keyed.sort((a, b) => (a.key === b.key ? 0 : a.key - b.key)).map(({ step }) => step)
}

/** The end of a wait; undefined for other steps. */
function endOf({ awaits, datacenter }: PlanStep, history: History): number | null | undefined {
  switch (awaits) {
    case undefined:
      return undefined
    case 'new-mode': {
      const members = history.members.filter((each) => each.datacenter === datacenter && !each.isAgent)
      const times = members
        .filter(({ version }) => version !== undefined)
        .map(({ mode, newModeAt }) => (mode === 'new' ? newModeAt : undefined))
      return times.includes(undefined) ? null : toSeconds(Math.max(0, ...times.map((at) => at ?? 0)))
    }
    case 'accessors': {
      const store = history.stores.find((each) => each.datacenter === datacenter)
      if (store === undefined || store.unmigrated.length > 0) return null
      return toSeconds(recordsOf(history, 'batch').at(-1)?.at ?? 0)
    }
    case 'intentions': {
      const done = recordsOf(history, 'intentions').find(({ state }) => state === 'done')
      return done === undefined ? null : toSeconds(done.at)
    }
  }
}

function partsOf(
  { kind, servers = [], datacenter }: PlanStep,
  scenario: Scenario,
): { name: string; at: number }[] {
  const spec = scenario.datacenters.find(({ name }) => name === datacenter)
  if (kind !== 'upgrade' || spec === undefined) return []
  return servers
    .flatMap((id) => {
      const member = [...spec.servers, ...spec.agents].find((each) => each.id === id)
      if (member === undefined) return []
      const restart = scenario.events.find(
        (each) => each.kind === 'restart' && each.server === id && each.version !== undefined,
      )
      return [{ name: id, at: toSeconds(restart?.atMs ?? member.startMs) }]
    })
    .sort((a, b) => a.at - b.at)
}

/** The text of a plan names the best order; this text keeps the order of the schedule, and mentions a difference. */
function scheduledText(
  { text, datacenter = '' }: PlanStep,
  parts: readonly { readonly name: string }[],
  scenario: Scenario,
): string {
  const servers = scenario.datacenters.find(({ name }) => name === datacenter)?.servers ?? []
  const leader = servers.find((each) => each.isFirstLeader)?.id
  const [head = text] = text.split(' one by one')
  if (leader === undefined || !parts.some(({ name }) => name === leader)) return text
  const advice =
    parts.at(-1)?.name === leader ? '' : ` ${leader} is the leader: replacing it last would save an election.`
  return `${head} one by one, at these times. Wait until each is back and there is a leader.${advice}`
}
