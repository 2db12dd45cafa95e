/** What `scan` tells people. */
import { counted } from '../findings/finding.ts'
import type { TokenCounts } from '../plan/token-census.ts'
import { type Member, oldestVersion, type Replication, type Scanned } from '../scan/read-cluster.ts'
import { MODE_TEXTS } from '../simulate/history.ts'
import type { Document } from './document.ts'

export interface ScanResult extends Scanned {
  /** Null if the tokens could not be read. */
  readonly tokens: TokenCounts | null
}

const MODES = { ...MODE_TEXTS, unknown: 'before 1.4.0, or unknown' }

export function scanDocument(result: ScanResult): Document {
  const { address, datacenters, primary, unread, tokens } = result
  return {
    title: address,
    lead: [`${address}: version ${oldestVersion(result)?.text ?? 'unknown'}`],
    sections: [
      ...datacenters.map(({ name, members, leader, replication }) => {
        const servers = members.filter((each) => each.isServer)
        const agents = members.length - servers.length
        return {
          title: `${name}${name === primary ? ' (primary)' : ''}`,
          items: [
            ...servers.map((each) => serverText(each, each.name === leader)),
            ...(agents === 0 ? [] : [counted(agents, 'client agent')]),
            ...(replication?.enabled === true ? [`replicates ${replicationText(replication)}`] : []),
          ],
        }
      }),
      { title: 'Tokens', items: tokens === null ? ['could not be read'] : tokenLines(tokens) },
      { title: 'Could not be read', items: unread.map(({ what, path, why }) => `${what} (${path}): ${why}`) },
    ],
  }
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

function tokenLines(tokens: TokenCounts): string[] {
  const number = (count: number) => count.toLocaleString('en-US')
  const { total, client, management, withRules, withAccessor, withLegacyRights, refused } = tokens
  return [
    `${counted(total, 'token')} without an accessor (${number(client)} client, ${number(withRules)} with rules; ${number(management)} management)`,
    `${number(withAccessor)} with an accessor (the rights of ${number(withLegacyRights)} come from legacy rules alone)`,
    ...(refused === 0 ? [] : [`${counted(refused, 'record')} unusable`]),
  ]
}
