import { platform } from 'node:os'
import { join } from 'node:path'

/** Where the embedded PostgreSQL listens: a socket file if possible, otherwise a loopback port. */
export type PostgresAddress =
  | { readonly kind: 'socket'; readonly directory: string }
  | { readonly kind: 'tcp'; readonly port: number }

/** Part of the name of the socket file; the directory belongs to one cluster alone. */
const SOCKET_PORT = 5432

/** Maximum length of a socket path on every system, in bytes: macOS has the lowest limit (104 with the final NUL). */
const SOCKET_PATH_BYTES_MAX = 103

/** Whether clients can reach a socket in this directory. */
export function takesSocket(directory: string): boolean {
  const path = join(directory, `.s.PGSQL.${SOCKET_PORT}`)
  return platform() !== 'win32' && Buffer.byteLength(path) <= SOCKET_PATH_BYTES_MAX
}

/** Passed at every start. All others keep their defaults: to tune them, run a PostgreSQL of your own. */
const SETTINGS: Readonly<Record<string, string>> = {
  // An acknowledged write survives a power cut. These are the defaults, stated because we promise them.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // A crashed backend ends all others; the postmaster then recovers by itself.
  restart_after_crash: 'on',
  // The log is for us: short and in English. The role sets what its sessions may log.
  log_destination: 'stderr',
  logging_collector: 'off',
  log_checkpoints: 'off',
  lc_messages: 'C',
  log_timezone: 'UTC',
  timezone: 'UTC',
  // Statements here are short; compiling them costs more than it saves.
  jit: 'off',
  unix_socket_permissions: '0700',
  // Unused processes, which would take some 10 MiB. The system's cache has the files, so reads rarely wait.
  io_method: 'sync',
  max_logical_replication_workers: '0',
  // The value for 128 MB of shared buffers, on which the default depends.
  wal_buffers: '4MB',
}

/** About 300,000 tokens. */
const SMALL_CLUSTER_BYTES_MAX = 268_435_456

/**
 * A small cluster gets a quarter of PostgreSQL's default, which saves 96 MiB. The system's cache has the rest of its
 * files: a tenth more of the database's time where updates are spread over 100,000 tokens, and nothing where over
 * 10,000.
 */
export function memorySettings(clusterBytes: number): Readonly<Record<string, string>> {
  return { shared_buffers: clusterBytes > SMALL_CLUSTER_BYTES_MAX ? '128MB' : '32MB' }
}

/** Arguments of the `postgres` program for one cluster. `overrides` win over ours; tests use them to trade durability. */
export function postgresArguments(
  clusterDir: string,
  address: PostgresAddress,
  overrides: Readonly<Record<string, string>>,
): string[] {
  const listen: Record<string, string> =
    address.kind === 'socket'
      ? {
          listen_addresses: '',
          unix_socket_directories: `"${address.directory.replaceAll('"', '""')}"`,
          port: String(SOCKET_PORT),
        }
      : { listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(address.port) }
  const settings = { ...SETTINGS, ...overrides, ...listen }
  return [
    '-D',
    clusterDir,
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ]
}

/** The URL of a database at an address. Contains the password: never log it. */
export function postgresUrl(address: PostgresAddress, name: string, password: string): string {
  const port = address.kind === 'socket' ? SOCKET_PORT : address.port
  const url = new URL(`postgresql://${name}:${encodeURIComponent(password)}@127.0.0.1:${port}/${name}`)
  if (address.kind === 'socket') url.searchParams.set('host', address.directory)
  return url.href
}
