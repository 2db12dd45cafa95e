/** The conditions for replacing the last old server, after which there is no way back. Spec 9.2.2, 9.2.5. */
import { readVersion, type ServiceVersion } from '@latchkey/contract'
import { agrees, counted, type Finding, reaches, type Severity } from '../findings/finding.ts'
import { type TokenCounts, unlinkedFinding } from '../plan/token-census.ts'
import type { MemberView, UpgradeModel } from '../simulate/models/model.ts'
import { isAtLeast, LEGACY_REMOVED } from '../version.ts'
import { type SeenServer, serverText } from '../watch/observe.ts'

export interface GateFacts {
  /** Undefined if the service does not show them to this token. */
  readonly servers: readonly SeenServer[] | undefined
  readonly to: ServiceVersion
  readonly next: readonly string[]
  readonly model: UpgradeModel
  readonly tokens: TokenCounts
  readonly tokenFindings: readonly Finding[]
  readonly backup: string | undefined
}

export interface Condition {
  readonly name: string
  readonly detail: string
  readonly findings: readonly Finding[]
}

export function holds({ findings }: Condition, limit: Severity = 'critical'): boolean {
  return !findings.some((each) => reaches(each, limit))
}

export function conditionsOf(facts: GateFacts): Condition[] {
  const { servers, tokenFindings, tokens, backup } = facts
  return [
    ...(servers === undefined
      ? [unknownServers()]
      : [
          versionCondition(servers, facts),
          memberCondition(servers, facts),
          ...returnCondition(servers, facts),
        ]),
    {
      name: 'no token breaks',
      detail: `${counted(tokens.total + tokens.withAccessor, 'token')} checked`,
      // Once a server is in new mode, the changes of 1.4.0 have already taken effect.
      findings: isInNewMode(servers) ? accessorFindings(facts) : tokenFindings,
    },
    {
      name: 'a backup exists',
      detail: backup ?? '',
      findings: findingIf(backup === undefined, {
        id: 'backup-unconfirmed',
        detail: 'No one has confirmed that a snapshot from before the upgrade exists and can be restored',
        avoid: 'Take a snapshot, restore it once elsewhere, and confirm it: --backup-confirmed "name, time".',
      }),
    },
  ]
}

function findingIf(
  applies: boolean,
  finding: Pick<Finding, 'id' | 'detail' | 'avoid'> & Partial<Finding>,
): Finding[] {
  return applies ? [{ severity: 'critical', count: 1, ...finding }] : []
}

function unknownServers(): Condition {
  const findings = findingIf(true, {
    id: 'servers-unknown',
    detail: 'The service does not show its servers to this token, so they cannot be checked',
    avoid: 'Give a token with agent:read with --token-file.',
  })
  return { name: 'every other server runs the new version', detail: '', findings }
}

function versionCondition(servers: readonly SeenServer[], { to, next }: GateFacts): Condition {
  const alive = servers.filter(({ status, name }) => status === 'alive' && !next.includes(name))
  const old = alive.filter(({ version }) => {
    const read = readVersion(version)
    return read === undefined || !isAtLeast(read, to)
  })
  const missing = next.filter((name) => !servers.some((each) => each.name === name))
  return {
    name: `every other server runs ${to.text}`,
    detail: `${counted(alive.length, 'server')}${next.length === 0 ? '' : `; next: ${next.join(', ')}`}`,
    findings: [
      ...findingIf(old.length > 0, {
        id: 'servers-not-upgraded',
        count: old.length,
        detail: `${old.map(serverText).join(', ')} ${agrees(old.length, 'does', 'do')} not run ${to.text}`,
        avoid: 'Replace these servers first, or name the ones that you replace now with --next.',
        servers: old.map(({ name }) => name),
      }),
      ...findingIf(missing.length > 0, {
        id: 'servers-missing',
        count: missing.length,
        detail: `The service has no server ${missing.join(', ')}`,
        avoid: 'Spell the names in --next as the service shows them.',
        servers: missing,
      }),
    ],
  }
}

/** The members that would block the end of legacy mode even if every live server ran the new version. */
function memberCondition(servers: readonly SeenServer[], { to, model }: GateFacts): Condition {
  const own: MemberView[] = servers.map(({ name, status, mode }) => ({
    server: name,
    status,
    mode: status === 'alive' && mode === 'old' ? 'legacy' : mode,
  }))
  const look = { version: to, role: 'leader', isPrimary: true, own, primary: [], leader: undefined } as const
  const findings = model
    .waitsFor(look)
    .flatMap(({ server, why }) =>
      findingIf(true, {
        id: 'member-counted',
        detail: `${server} still counts (${why}), so legacy mode would not end`,
        avoid: `Replace this member, switch its ACLs on, or let it leave; if it will not return, PUT /v1/agent/force-leave/${server}.`,
        servers: [server],
      }),
    )
  const name = 'no other member holds up the end of legacy mode'
  return { name, detail: counted(servers.length, 'member'), findings }
}

function returnCondition(servers: readonly SeenServer[], { to }: GateFacts): Condition[] {
  // On the way to 1.11, the point of no return was passed long ago.
  if (isInNewMode(servers) && isAtLeast(to, LEGACY_REMOVED)) return []
  const left = servers.filter(({ status, mode }) => status === 'alive' && mode === 'new')
  const names = left.map(({ name }) => name)
  const detail =
    left.length === 0
      ? 'open, no server is in new mode'
      : `snapshot only, ${counted(left.length, 'server')} in new mode`
  const findings = findingIf(left.length > 0, {
    id: 'no-return-passed',
    severity: 'warning',
    count: left.length,
    detail: `${names.join(', ')} ${agrees(left.length, 'has', 'have')} left legacy mode: the point of no return has been passed`,
    avoid: 'Going back now needs the snapshot from before the upgrade, and loses every write since.',
    servers: names,
  })
  return [{ name: 'the way back', detail, findings }]
}

/** From 1.11 on, accessors are no longer assigned. */
function accessorFindings({ to, tokens }: GateFacts): Finding[] {
  const { total, withRules, withLegacyRights, unlinkedManagement } = tokens
  const isRemoved = isAtLeast(to, LEGACY_REMOVED)
  const severity = isRemoved ? 'critical' : 'warning'
  const unlinked = findingIf(unlinkedManagement > 0, { ...unlinkedFinding(unlinkedManagement), severity })
  if (!isRemoved) return unlinked
  const legacyRights = withRules + withLegacyRights - unlinkedManagement
  return [
    ...unlinked,
    ...findingIf(total > 0, {
      id: 'tokens-without-accessor',
      count: total,
      detail: `${counted(total, 'token')} ${agrees(total, 'has', 'have')} no accessor yet`,
      avoid: 'Wait for the migration: latchkey-migrator watch shows it.',
    }),
    ...findingIf(legacyRights > 0, {
      id: 'legacy-rights-end-at-1.11',
      count: legacyRights,
      detail: `From 1.11 only the default policy applies to ${counted(legacyRights, 'token')} whose rights come from legacy rules alone`,
      avoid: 'Give these tokens policies before 1.11, and compare their decisions.',
    }),
  ]
}

function isInNewMode(servers: GateFacts['servers']): boolean {
  return servers?.some(({ status, mode }) => status === 'alive' && mode === 'new') === true
}
