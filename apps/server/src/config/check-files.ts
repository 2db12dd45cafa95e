import { createPrivateKey } from 'node:crypto'
import pg from 'pg'
import { openTlsFiles } from '../outgoing/tls-files.ts'
import { StartError } from '../start-error.ts'
import { certificatesIn, readListenerTls, readPem } from '../tls/listener-tls.ts'
import { type Config, describeDatabase } from './config.ts'

/**
 * Reads the files that settings name. The file of the replication token may be written later.
 *
 * @throws StartError that names the setting of an unusable file, without its content.
 */
export async function checkFiles(config: Config): Promise<void> {
  await readListenerTls(config)
  await openTlsFiles(config, () => {})
  checkDatabaseUrl('DATABASE_URL', config.databaseUrl)
  checkDatabaseUrl('DATABASE_REPLICA_URL', config.databaseReplicaUrl)
  for (const { setting, path } of config.exporterFiles) {
    const pem = await readPem(setting, path)
    if (setting.endsWith('CERTIFICATE')) certificatesIn(setting, path, pem)
    else checkKey(setting, path, pem)
  }
}

function checkKey(setting: string, path: string, pem: string): void {
  try {
    createPrivateKey(pem)
  } catch (cause) {
    throw new StartError(`${setting}: ${path} cannot be used: it holds no private key in PEM`, { cause })
  }
}

/** The driver reads the files of a URL, such as that of `sslrootcert`, when it parses it. */
function checkDatabaseUrl(setting: string, url: string | undefined): void {
  if (url === undefined) return
  try {
    describeDatabase(url)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new StartError(`${setting} cannot be used: ${problem}`, { cause })
  }
  checkAuthorities(setting, url)
}

/** TLS ignores certificate authorities that it cannot read, and for an empty file trusts those of the system. */
function checkAuthorities(setting: string, url: string): void {
  const ssl: unknown = new pg.Client({ connectionString: url }).ssl
  if (typeof ssl !== 'object' || ssl === null || !('ca' in ssl)) return
  certificatesIn(setting, 'the file of sslrootcert', String(ssl.ca))
}
