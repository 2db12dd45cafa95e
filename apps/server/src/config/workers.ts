import { availableParallelism, totalmem } from 'node:os'

/** Each worker takes memory and database connections. */
const AUTO_WORKERS_MAX = 8
/** Memory of the machine or container per worker. PostgreSQL and request bodies need some of it. */
const AUTO_BYTES_PER_WORKER = 512 * 1024 * 1024
/** A worker sends several queries to the database at a time. */
const CONNECTIONS_MIN = 3

/**
 * The number of server processes for a setting. `auto` leaves one core to PostgreSQL and the clients, and starts fewer
 * processes if memory is short.
 *
 * @param options.dnsPort 0 picks a free port, which several processes cannot share: `auto` then means one.
 * @param options.cores default: the cores of this machine, or the limit of its container.
 * @param options.memoryBytes default: likewise.
 */
export function workersOf(
  setting: number | 'auto',
  {
    dnsPort,
    cores = availableParallelism(),
    memoryBytes = memoryMax(),
  }: { readonly dnsPort: number | undefined; readonly cores?: number; readonly memoryBytes?: number },
): number {
  if (setting !== 'auto') return setting
  if (dnsPort === 0) return 1
  const fitting = Math.floor(memoryBytes / AUTO_BYTES_PER_WORKER)
  return Math.max(Math.min(cores - 1, fitting, AUTO_WORKERS_MAX), 1)
}

function memoryMax(): number {
  // Without a limit, it is 0 or exceeds the memory of the machine.
  const limit = process.constrainedMemory()
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem()
}

/** One worker's share of the resources that settings give to all workers. */
export function shareOf(settings: {
  readonly workers: number
  readonly cacheBytes: number
  readonly databaseConnections: number
}): { readonly cacheBytes: number; readonly databaseConnections: number } {
  const { workers, cacheBytes, databaseConnections: all } = settings
  return {
    cacheBytes: Math.floor(cacheBytes / workers),
    databaseConnections: Math.max(Math.ceil(all / workers), Math.min(all, CONNECTIONS_MIN)),
  }
}
