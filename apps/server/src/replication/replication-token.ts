import { readFile } from 'node:fs/promises'
import type { Store } from '@latchkey/service'
import type { Config } from '../config/config.ts'

/** There is no token to replicate with. The message is for operators. */
export class NoReplicationToken extends Error {
  override readonly name = 'NoReplicationToken'
}

interface TokenSources {
  readonly store: Pick<Store, 'directory'>
  readonly config: Pick<Config, 'replicationToken' | 'replicationTokenFile'>
}

const SECRET_FORM = /^(?!<hidden>$)[\x21-\x7e]{1,512}$/

/**
 * The secret with which this datacenter replicates: of a request, the file, or the setting. @throws NoReplicationToken
 */
export async function readReplicationToken({ store, config }: TokenSources): Promise<string> {
  const record = store.directory().system('replication-token')?.Value
  if (record?.Token) return record.Token
  if (config.replicationTokenFile === undefined) {
    if (config.replicationToken !== undefined) return config.replicationToken
    throw new NoReplicationToken(
      'There is no replication token: set LATCHKEY_REPLICATION_TOKEN or LATCHKEY_REPLICATION_TOKEN_FILE',
    )
  }
  const token = (await readTokenFile(config.replicationTokenFile)).trim()
  if (SECRET_FORM.test(token)) return token
  throw new NoReplicationToken('The file of LATCHKEY_REPLICATION_TOKEN_FILE contains no token')
}

async function readTokenFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    const { code } = error as { readonly code?: unknown }
    throw new NoReplicationToken(
      `The file of LATCHKEY_REPLICATION_TOKEN_FILE cannot be read: ${String(code)}`,
    )
  }
}
