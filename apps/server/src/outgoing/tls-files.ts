import { readFile } from 'node:fs/promises'
import { createSecureContext } from 'node:tls'
import type { Config } from '../config/config.ts'
import { Remembered } from '../remembered.ts'
import { StartError } from '../start-error.ts'
import { certificatesIn, messageOf } from '../tls/listener-tls.ts'

/** What TLS connections trust and present, in PEM. */
export interface TlsOptions {
  readonly ca?: string
  readonly cert?: string
  readonly key?: string
}

type TlsPaths = Pick<Config, 'replicationCa' | 'replicationCert' | 'replicationKey'>

/** Files are read again after this time. */
const READ_MS_MAX = 1_000

/**
 * Reads the files for connections to other datacenters, now and whenever they have changed since. An inconsistent
 * change, such as a new certificate before its key, has no effect until it is complete.
 *
 * @param onBroken called with the error if files cannot be used.
 * @returns a function for the current options of connections.
 * @throws StartError if the files cannot be used at the start.
 */
export async function openTlsFiles(
  paths: TlsPaths,
  onBroken: (error: unknown) => void,
): Promise<() => Promise<TlsOptions>> {
  const hasFiles = Object.values(shownPaths(paths)).length > 0
  let current = await read(paths).catch((error: unknown) => {
    throw new StartError(
      `The files of ${Object.keys(shownPaths(paths)).join(', ')} cannot be used:\n  ${messageOf(error)}`,
      { cause: error },
    )
  })
  const fresh = new Remembered(async () => {
    try {
      current = await read(paths)
    } catch (error) {
      onBroken(error)
    }
    return current
  }, READ_MS_MAX)
  return hasFiles ? () => fresh.get() : async () => current
}

async function read({ replicationCa, replicationCert, replicationKey }: TlsPaths): Promise<TlsOptions> {
  const [ca, cert, key] = await Promise.all(
    [replicationCa, replicationCert, replicationKey].map((path) => path && readFile(path, 'utf8')),
  )
  // TLS ignores certificate authorities and certificates that it cannot read, and for an empty file trusts those of the
  // system.
  if (replicationCa && ca !== undefined) certificatesIn('LATCHKEY_REPLICATION_CA', replicationCa, ca)
  if (replicationCert && cert !== undefined)
    certificatesIn('LATCHKEY_REPLICATION_CERT', replicationCert, cert)
  const options = { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) }
  createSecureContext(options)
  return options
}

function shownPaths({ replicationCa, replicationCert, replicationKey }: TlsPaths): Record<string, string> {
  return {
    ...(replicationCa === undefined ? {} : { LATCHKEY_REPLICATION_CA: replicationCa }),
    ...(replicationCert === undefined ? {} : { LATCHKEY_REPLICATION_CERT: replicationCert }),
    ...(replicationKey === undefined ? {} : { LATCHKEY_REPLICATION_KEY: replicationKey }),
  }
}
