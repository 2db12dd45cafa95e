import type { DirectoryContent } from '@latchkey/acl'
import type { TableName } from '@latchkey/service'
import { withAclErrors } from '../../database/database-error.ts'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import { decodeNamespace, decodePolicy, decodeRole, decodeSystem } from '../directory-rows.ts'
import type { ChangeBatch, ChangeLog } from './changes.ts'

/** Each answer must come within the time limits of the connection (`connect.ts`). In milliseconds. */
const LIMITS = { maxWait: 2_000, timeout: 10_000 }
/** With more changed records than this, read the whole table instead of single keys. */
const KEYS_MAX = 1_000

const NO_DIRECTORY: DirectoryContent = { policies: [], roles: [], namespaces: [], system: [] }

/**
 * Reads what changed after an index, with the directory records of those changes.
 *
 * @param isWhole read the whole directory if anything changed.
 * @throws AclError `unavailable`
 */
export async function readChanges(
  prisma: PrismaClient,
  after: number,
  isWhole: boolean,
): Promise<ChangeBatch> {
  return withAclErrors(async () => {
    const log = await readLog(prisma, after)
    if (!needsDirectory(log, isWhole)) return { ...log, directory: NO_DIRECTORY }
    // Read the log again, now in one snapshot with the rows.
    const isolationLevel = Prisma.TransactionIsolationLevel.RepeatableRead
    return prisma.$transaction(async (tx) => readBatch(tx, after, isWhole), { ...LIMITS, isolationLevel })
  })
}

async function readBatch(
  tx: Prisma.TransactionClient,
  after: number,
  isWhole: boolean,
): Promise<ChangeBatch> {
  const log = await readLog(tx, after)
  if (!log.tables) return { ...log, directory: NO_DIRECTORY }
  const keysOf = (table: TableName): readonly string[] | undefined => {
    if (isWhole || log.reset) return undefined
    const keys = new Set(log.changes.flatMap(({ entity, key }) => (entity === table && key ? [key] : [])))
    return keys.size > KEYS_MAX ? undefined : [...keys]
  }
  return { ...log, directory: await readDirectory(tx, keysOf) }
}

async function readLog(
  client: Pick<Prisma.TransactionClient, '$queryRaw'>,
  after: number,
): Promise<ChangeLog> {
  const [row] = await client.$queryRaw<{ answer: string }[]>`
    SELECT latchkey_change_log(${after}::bigint)::text AS answer`
  // This project's own SQL defines the shape of the JSON.
  return JSON.parse(row?.answer ?? 'null')
}

function needsDirectory(log: ChangeLog, isWhole: boolean): boolean {
  if (!log.tables) return false
  return isWhole || log.reset === true || log.changes.some(({ entity }) => isOfDirectory(entity))
}

function isOfDirectory(entity: string): entity is keyof DirectoryContent {
  return entity in NO_DIRECTORY
}

/** @param keysOf the primary keys to read; undefined for all rows. */
async function readDirectory(
  tx: Prisma.TransactionClient,
  keysOf: (table: TableName) => readonly string[] | undefined,
): Promise<DirectoryContent> {
  const idIn = (table: TableName) => inKeys(keysOf(table), (keys) => ({ id: { in: keys } }))
  const policies = await tx.policy.findMany(idIn('policies'))
  const roles = await tx.role.findMany(idIn('roles'))
  const namespaces = await tx.namespace.findMany(
    inKeys(keysOf('namespaces'), (keys) => ({ name: { in: keys } })),
  )
  const system = await tx.system.findMany(inKeys(keysOf('system'), (keys) => ({ key: { in: keys } })))
  return {
    policies: policies.map(decodePolicy),
    roles: roles.map(decodeRole),
    namespaces: namespaces.map(decodeNamespace),
    system: system.map(decodeSystem),
  }
}

function inKeys<W>(keys: readonly string[] | undefined, where: (keys: string[]) => W): { where?: W } {
  return keys ? { where: where([...keys]) } : {}
}
