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

const FILES = {
  ca: { field: 'replicationCa', setting: 'LATCHKEY_REPLICATION_CA' },
  cert: { field: 'replicationCert', setting: 'LATCHKEY_REPLICATION_CERT' },
  key: { field: 'replicationKey', setting: 'LATCHKEY_REPLICATION_KEY' },
} as const

interface TlsFile {
  readonly name: string
  readonly setting: string
  readonly path: string
}

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
  const files = Object.entries(FILES).flatMap(([name, { field, setting }]) => {
    const path = paths[field]
    return path === undefined ? [] : [{ name, setting, path }]
  })
  let current = await read(files).catch((cause: unknown) => {
    const settings = files.map(({ setting }) => setting).join(', ')
    throw new StartError(`The files of ${settings} cannot be used:\n  ${messageOf(cause)}`, { cause })
  })
  const fresh = new Remembered(async () => {
    try {
      current = await read(files)
    } catch (error) {
      onBroken(error)
    }
    return current
  }, READ_MS_MAX)
  return files.length > 0 ? () => fresh.get() : async () => current
}

async function read(files: readonly TlsFile[]): Promise<TlsOptions> {
  const read = files.map(async ({ name, setting, path }) => {
    const pem = await readFile(path, 'utf8')
    // TLS ignores certificate authorities and certificates that it cannot read, and for an empty file trusts those of
    // the system.
    if (name !== 'key') certificatesIn(setting, path, pem)
    return [name, pem]
  })
  const options: TlsOptions = Object.fromEntries(await Promise.all(read))
  createSecureContext(options)
  return options
}
