/** The conditions for replacing the last old server, after which there is no way back. Spec 9.2.2, 9.2.5. */
import { readVersion, type ServiceVersion } from '@latchkey/contract'
import { agrees, counted, type Finding, reaches, type Severity } from '../findings/finding.ts'
import { type MemberView, tagOf, type UpgradeModel } from '../simulate/models/model.ts'
import { isAtLeast, LEGACY_REMOVED } from '../version.ts'
import { serverText } from '../watch/observe.ts'
import type { SeenServer, SeenTokens } from '../watch/service-api.ts'

export interface GateFacts {
  /** Undefined if the service does not show them to this token. */
  readonly servers: readonly SeenServer[] | undefined
  /** The version to upgrade to. */
  readonly to: ServiceVersion
  /** The servers to replace next, which may still run the old version. */
  readonly next: readonly string[]
  readonly model: UpgradeModel
  readonly tokens: SeenTokens
  /** Findings about the rules of the tokens. */
  readonly tokenFindings: readonly Finding[]
  /** The operator's confirmation of the backup; undefined without one. */
  readonly backup: string | undefined
}

/** A condition, with the findings that violate it. */
export interface Condition {
  readonly name: string
  /** A summary, for a condition that holds. */
  readonly detail: string
  readonly findings: readonly Finding[]
}

/** Whether no finding of a condition reaches the severity limit. */
export function holds({ findings }: Condition, limit: Severity = 'critical'): boolean {
  return !findings.some((each) => reaches(each, limit))
}

/** All conditions, in the order in which an operator should check them. */
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
      detail: `${counted(tokens.total, 'token')} checked`,
      // Once a server is in new mode, the changes of 1.4.0 have already taken effect.
      findings: [...(isInNewMode(facts) ? [] : tokenFindings), ...accessorFindings(facts)],
    },
    {
      name: 'a backup exists',
      detail: backup ?? '',
      findings:
        backup !== undefined
          ? []
          : [
              {
                id: 'backup-unconfirmed',
                severity: 'critical',
                count: 1,
                detail:
                  'No one has confirmed that a snapshot from before the upgrade exists and can be restored',
                avoid:
                  'Take a snapshot, restore it once elsewhere, and confirm it: --backup-confirmed "name, time".',
              },
            ],
    },
  ]
}

function unknownServers(): Condition {
  return {
    name: 'every other server runs the new version',
    detail: '',
    findings: [
      {
        id: 'servers-unknown',
        severity: 'critical',
        count: 1,
        detail: 'The service does not show its servers to this token, so they cannot be checked',
        avoid: 'Give a token with agent:read with --token-file.',
      },
    ],
  }
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
      ...(old.length === 0
        ? []
        : [
            {
              id: 'servers-not-upgraded',
              severity: 'critical' as const,
              count: old.length,
              detail: `${old.map(serverText).join(', ')} ${agrees(old.length, 'does', 'do')} not run ${to.text}`,
              avoid: 'Replace these servers first, or name the ones that you replace now with --next.',
              servers: old.map(({ name }) => name),
            },
          ]),
      ...(missing.length === 0
        ? []
        : [
            {
              id: 'servers-missing',
              severity: 'critical' as const,
              count: missing.length,
              detail: `The service has no server ${missing.join(', ')}`,
              avoid: 'Spell the names in --next as the service shows them.',
              servers: missing,
            },
          ]),
    ],
  }
}

/** The members that would block the end of legacy mode even if every live server ran the new version. */
function memberCondition(servers: readonly SeenServer[], { to, model }: GateFacts): Condition {
  const own: MemberView[] = servers.map(({ name, status, mode }) => ({
    server: name,
    status,
    tag: tagOf(status === 'alive' && (mode === 'old' || mode === undefined) ? 'legacy' : (mode ?? 'old')),
  }))
  const look = { version: to, role: 'leader', isPrimary: true, own, primary: [], leader: undefined } as const
  const blockers = model.waitsFor(look)
  return {
    name: 'no other member holds up the end of legacy mode',
    detail: counted(servers.length, 'member'),
    findings: blockers.map(({ server, why }) => ({
      id: 'member-counted',
      severity: 'critical',
      count: 1,
      detail: `${server} still counts (${why}), so legacy mode would not end`,
      avoid:
        'Replace this member, switch its ACLs on, or let it leave, so that the others no longer wait for it.',
      servers: [server],
    })),
  }
}

function returnCondition(servers: readonly SeenServer[], facts: GateFacts): Condition[] {
  // On the way to 1.11, the point of no return was passed long ago.
  if (isInNewMode(facts) && isAtLeast(facts.to, LEGACY_REMOVED)) return []
  const left = servers.filter(({ status, mode }) => status === 'alive' && mode === 'new')
  const condition: Condition = {
    name: 'the way back',
    detail:
      left.length === 0
        ? 'open, no server is in new mode'
        : `snapshot only, ${counted(left.length, 'server')} in new mode`,
    findings:
      left.length === 0
        ? []
        : [
            {
              id: 'no-return-passed',
              severity: 'warning',
              count: left.length,
              detail: `${left.map(({ name }) => name).join(', ')} ${agrees(left.length, 'has', 'have')} left legacy mode: the point of no return has been passed`,
              avoid:
                'Going back now needs the snapshot from before the upgrade, and loses every write since.',
              servers: left.map(({ name }) => name),
            },
          ],
  }
  return [condition]
}

/** From 1.11 on, accessors are no longer assigned. */
function accessorFindings(facts: GateFacts): Finding[] {
  const { to, tokens } = facts
  const findings: Finding[] = []
  if (!isInNewMode(facts) || !isAtLeast(to, LEGACY_REMOVED)) return findings
  if (tokens.withoutAccessor > 0) {
    findings.push({
      id: 'tokens-without-accessor',
      severity: 'critical',
      count: tokens.withoutAccessor,
      detail: `${counted(tokens.withoutAccessor, 'token')} ${agrees(tokens.withoutAccessor, 'has', 'have')} no accessor yet`,
      avoid: 'Wait for the migration: latchkey-migrator watch shows it.',
    })
  }
  if (tokens.legacyRights > 0) {
    findings.push({
      id: 'legacy-rights-end-at-1.11',
      severity: 'critical',
      count: tokens.legacyRights,
      detail: `From 1.11 only the default policy applies to ${counted(tokens.legacyRights, 'token')} whose rights come from legacy rules or a legacy type alone`,
      avoid: 'Give these tokens policies before 1.11, and compare their decisions.',
    })
  }
  return findings
}

/** Whether any live server has left legacy mode. */
export function isInNewMode({ servers }: Pick<GateFacts, 'servers'>): boolean {
  return servers?.some(({ status, mode }) => status === 'alive' && mode === 'new') === true
}
