/** The output of `scan` for a terminal. */
import type { Paint } from '../cli/io.ts'
import { counted } from '../findings/finding.ts'
import type { TokenCounts } from '../plan/token-census.ts'
import { MODE_TEXTS } from '../simulate/history.ts'
import type { Member, Replication, Scanned, ScannedDatacenter } from './read-cluster.ts'
import { oldestVersion } from './read-cluster.ts'

export interface ScanResult extends Scanned {
  /** Null if the tokens could not be read. */
  readonly tokens: TokenCounts | null
}

const MODES = { ...MODE_TEXTS, unknown: 'before 1.4.0, or unknown' }

export function formatScan(result: ScanResult, paint: Paint): string {
  const { datacenters, unread, tokens } = result
  return [
    `${paint('bold', result.address)}: version ${oldestVersion(result)?.text ?? 'unknown'}`,
    '',
    ...datacenters.flatMap((each) => datacenterLines(each, result.primary, paint)),
    tokens === null ? paint('yellow', 'Tokens: could not be read') : tokenLine(tokens),
    ...(unread.length === 0
      ? []
      : [
          '',
          paint('bold', 'Could not be read'),
          ...unread.map(({ what, path, why }) => `  ${what} (${path}): ${why}`),
        ]),
    '',
  ].join('\n')
}

function datacenterLines(
  { name, members, leader, replication }: ScannedDatacenter,
  primary: string | undefined,
  paint: Paint,
): string[] {
  const servers = members.filter((each) => each.isServer)
  const agents = members.length - servers.length
  return [
    paint('bold', `${name}${name === primary ? ' (primary)' : ''}`),
    ...servers.map((each) => `  ${serverText(each, each.name === leader)}`),
    ...(agents === 0 ? [] : [`  ${counted(agents, 'client agent')}`]),
    ...(replication?.enabled === true ? [`  replicates ${replicationText(replication)}`] : []),
    '',
  ]
}

function serverText({ name, version, mode, status }: Member, isLeader: boolean): string {
  return [
    `${name}: ${version?.text ?? 'version unknown'}`,
    MODES[mode],
    ...(status === 'alive' ? [] : [status]),
    ...(isLeader ? ['leader'] : []),
  ].join(', ')
}

function replicationText({ type, source, running, lastSuccess, lastError }: Replication): string {
  const state = !running ? 'not running' : lastError > lastSuccess ? 'failing' : 'running'
  return `${type === '' ? 'something' : type}${source === '' ? '' : ` from ${source}`}: ${state}`
}

function tokenLine(tokens: TokenCounts): string {
  const number = (count: number) => count.toLocaleString('en-US')
  const { total, client, management, withRules, withAccessor, withLegacyRights, refused } = tokens
  const parts = [
    `${counted(total, 'token')} without an accessor (${number(client)} client, ${number(withRules)} with rules; ${number(management)} management)`,
    `${number(withAccessor)} with an accessor (the rights of ${number(withLegacyRights)} come from legacy rules alone)`,
    ...(refused === 0 ? [] : [`${counted(refused, 'record')} unusable`]),
  ]
  return `Tokens: ${parts.join('; ')}`
}
