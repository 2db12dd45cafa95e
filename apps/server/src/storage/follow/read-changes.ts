import { type DirectoryContent, EMPTY_CONTENT } from '@latchkey/acl'
import type { TableName } from '@latchkey/service'
import { withAclErrors } from '../../database/database-error.ts'
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import {
  decodeAuthMethod,
  decodeBindingRule,
  decodeNamespace,
  decodePolicy,
  decodeRole,
  decodeSystem,
} from '../directory-rows.ts'
import { inSnapshot } from '../read/snapshot.ts'
import type { ChangeBatch, ChangeLog } from './changes.ts'

/** With more changed records than this, read the whole table instead of single keys. */
const KEYS_MAX = 1_000

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
  secrets: SecretBox,
): Promise<ChangeBatch> {
  return withAclErrors(async () => {
    const log = await readLog(prisma, after)
    if (!needsDirectory(log, isWhole)) return { ...log, directory: EMPTY_CONTENT }
    // Read the log again, now in one snapshot with the rows.
    return inSnapshot(prisma, (tx) => readBatch(tx, after, isWhole, secrets))
  })
}

async function readBatch(
  tx: Prisma.TransactionClient,
  after: number,
  isWhole: boolean,
  secrets: SecretBox,
): Promise<ChangeBatch> {
  const log = await readLog(tx, after)
  if (!log.tables) return { ...log, directory: EMPTY_CONTENT }
  const keysOf = (table: TableName): readonly string[] | undefined => {
    if (isWhole || log.reset) return undefined
    const keys = new Set(log.changes.flatMap(({ entity, key }) => (entity === table && key ? [key] : [])))
    return keys.size > KEYS_MAX ? undefined : [...keys]
  }
  return { ...log, directory: await readDirectory(tx, keysOf, secrets) }
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
  return entity in EMPTY_CONTENT
}

/** @param keysOf the primary keys to read; undefined for all rows. */
async function readDirectory(
  tx: Prisma.TransactionClient,
  keysOf: (table: TableName) => readonly string[] | undefined,
  secrets: SecretBox,
): Promise<DirectoryContent> {
  const idIn = (table: TableName) => inKeys(keysOf(table), (keys) => ({ id: { in: keys } }))
  const policies = await tx.policy.findMany(idIn('policies'))
  const roles = await tx.role.findMany(idIn('roles'))
  const namespaces = await tx.namespace.findMany(
    inKeys(keysOf('namespaces'), (keys) => ({ name: { in: keys } })),
  )
  const keyIn = (table: TableName) => inKeys(keysOf(table), (keys) => ({ key: { in: keys } }))
  const authMethods = await tx.authMethod.findMany(keyIn('authMethods'))
  const bindingRules = await tx.bindingRule.findMany(idIn('bindingRules'))
  const system = await tx.system.findMany(keyIn('system'))
  return {
    policies: policies.map(decodePolicy),
    roles: roles.map(decodeRole),
    namespaces: namespaces.map(decodeNamespace),
    authMethods: authMethods.map((row) => decodeAuthMethod(row, secrets)),
    bindingRules: bindingRules.map(decodeBindingRule),
    system: system.map((row) => decodeSystem(row, secrets)),
  }
}

function inKeys<W>(keys: readonly string[] | undefined, where: (keys: string[]) => W): { where?: W } {
  return keys ? { where: where([...keys]) } : {}
}
