import { EMPTY_CONTENT, isDirectoryTable } from '@latchkey/acl'
import { isCatalogTable } from '@latchkey/catalog'
import type { TableName } from '@latchkey/service'
import { withAclErrors } from '../../database/database-error.ts'
import type { Prisma, PrismaClient } from '../../generated/prisma/client.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import {
  decodeCheck,
  decodeCoordinate,
  decodeNode,
  decodeService,
  decodeServiceIndex,
  decodeSession,
  EMPTY_CATALOG,
} from '../catalog-rows.ts'
import {
  decodeAuthMethod,
  decodeBindingRule,
  decodeDestination,
  decodeIntention,
  decodeNamespace,
  decodePolicy,
  decodeRole,
  decodeSystem,
} from '../directory-rows.ts'
import { inSnapshot } from '../read/snapshot.ts'
import type { ChangeBatch, ChangeLog, ChangeRow, HeldRecords } from './changes.ts'

/** With more changed records than this, whole tables are read instead of single keys. */
const KEYS_MAX = 1_000

const NONE: HeldRecords = { directory: EMPTY_CONTENT, catalog: EMPTY_CATALOG }

export interface ChangesQuestion {
  readonly after: number
  /** Read all of these records if anything changed. */
  readonly isWhole: boolean
  /** The member whose membership the query also reads. */
  readonly memberId: string
}

/**
 * Reads the changes after an index, with the changed records that every process keeps in memory.
 *
 * @throws AclError `unavailable`
 */
export async function readChanges(
  prisma: PrismaClient,
  question: ChangesQuestion,
  secrets: SecretBox,
): Promise<ChangeBatch> {
  return withAclErrors(async () => {
    const log = await readLog(prisma, question)
    if (!needsRecords(log, question.isWhole)) return { ...log, ...NONE }
    if (log.tables && !log.reset && !question.isWhole && log.changes.length <= KEYS_MAX) {
      const records = await readRecords(prisma, keysOfLog(log.changes), secrets)
      if (areOfLog(records, log)) return { ...log, ...records }
    }
    // Read the log again, in one snapshot with the rows: a later commit touched them, or there are many.
    return inSnapshot(prisma, (tx) => readBatch(tx, question, secrets))
  })
}

/**
 * Whether records that were read after the log still match its snapshot. A record that changed since has a later
 * ModifyIndex or is gone.
 */
function areOfLog(
  { directory, catalog }: HeldRecords,
  { index, changes }: { readonly index: number; readonly changes: readonly ChangeRow[] },
): boolean {
  const lastOps = new Map(
    changes.flatMap(({ entity, key, op }) =>
      isHeld(entity) && key !== null ? [[`${entity} ${key}`, op] as const] : [],
    ),
  )
  const stored = [...lastOps.values()].filter((op) => op === 'put').length
  const records = [...Object.values(directory), ...Object.values(catalog)].flat()
  return records.length === stored && records.every(({ ModifyIndex }) => ModifyIndex <= index)
}

async function readBatch(
  tx: Prisma.TransactionClient,
  question: ChangesQuestion,
  secrets: SecretBox,
): Promise<ChangeBatch> {
  const log = await readLog(tx, question)
  if (!log.tables) return { ...log, ...NONE }
  const keysOf = question.isWhole || log.reset ? () => undefined : keysOfLog(log.changes)
  return { ...log, ...(await readRecords(tx, keysOf, secrets)) }
}

function keysOfLog(changes: readonly ChangeRow[]): KeysOf {
  return (table) => {
    const keys = new Set(
      changes.flatMap(({ entity, key }) => (entity === table && key !== null ? [key] : [])),
    )
    return keys.size > KEYS_MAX ? undefined : [...keys]
  }
}

async function readLog(
  client: Pick<Prisma.TransactionClient, '$queryRaw'>,
  { after, memberId }: ChangesQuestion,
): Promise<ChangeLog> {
  const [row] = await client.$queryRaw<{ answer: string; isMember: boolean }[]>`
    SELECT latchkey_change_log(${after}::bigint)::text AS answer, EXISTS (
      SELECT FROM member WHERE id = ${memberId} AND NOT is_fenced AND left_at IS NULL) AS "isMember"`
  // This project's own SQL defines the shape of the JSON.
  return { ...JSON.parse(row?.answer ?? 'null'), isMember: row?.isMember }
}

function needsRecords(log: ChangeLog, isWhole: boolean): boolean {
  if (!log.tables) return false
  return isWhole || log.reset === true || log.changes.some(({ entity }) => isHeld(entity))
}

function isHeld(entity: string): boolean {
  return isDirectoryTable(entity) || isCatalogTable(entity)
}

/** The primary keys of a table to read; undefined for all rows. */
type KeysOf = (table: TableName) => readonly string[] | undefined

async function readRecords(
  tx: Prisma.TransactionClient,
  keysOf: KeysOf,
  secrets: SecretBox,
): Promise<HeldRecords> {
  const read = async <R>(
    table: TableName,
    find: (keys: { in: string[] } | undefined) => PromiseLike<readonly R[]>,
  ) => {
    const keys = keysOf(table)
    return keys?.length === 0 ? [] : find(keys && { in: [...keys] })
  }
  const by = <C extends string>(column: C, keys: { in: string[] } | undefined) => ({
    where: keys ? ({ [column]: keys } as Record<C, { in: string[] }>) : {},
  })
  const policies = await read('policies', (keys) => tx.policy.findMany(by('id', keys)))
  const roles = await read('roles', (keys) => tx.role.findMany(by('id', keys)))
  const namespaces = await read('namespaces', (keys) => tx.namespace.findMany(by('name', keys)))
  const authMethods = await read('authMethods', (keys) => tx.authMethod.findMany(by('key', keys)))
  const bindingRules = await read('bindingRules', (keys) => tx.bindingRule.findMany(by('id', keys)))
  const intentions = await read('intentions', (keys) => tx.intention.findMany(by('key', keys)))
  const intentionDestinations = await read('intentionDestinations', (keys) =>
    tx.intentionDestination.findMany(by('key', keys)),
  )
  const system = await read('system', (keys) => tx.system.findMany(by('key', keys)))
  const nodes = await read('nodes', (keys) => tx.catalogNode.findMany(by('key', keys)))
  const services = await read('services', (keys) => tx.catalogService.findMany(by('key', keys)))
  const checks = await read('checks', (keys) => tx.catalogCheck.findMany(by('key', keys)))
  const coordinates = await read('coordinates', (keys) => tx.catalogCoordinate.findMany(by('key', keys)))
  const sessions = await read('sessions', (keys) => tx.session.findMany(by('id', keys)))
  const serviceIndexes = await read('serviceIndexes', (keys) =>
    tx.catalogServiceIndex.findMany(by('name', keys)),
  )
  return {
    directory: {
      policies: policies.map(decodePolicy),
      roles: roles.map(decodeRole),
      namespaces: namespaces.map(decodeNamespace),
      authMethods: authMethods.map((row) => decodeAuthMethod(row, secrets)),
      bindingRules: bindingRules.map(decodeBindingRule),
      intentions: intentions.map(decodeIntention),
      intentionDestinations: intentionDestinations.map(decodeDestination),
      system: system.map((row) => decodeSystem(row, secrets)),
    },
    catalog: {
      nodes: nodes.map(decodeNode),
      services: services.map(decodeService),
      checks: checks.map(decodeCheck),
      coordinates: coordinates.map(decodeCoordinate),
      sessions: sessions.map(decodeSession),
      serviceIndexes: serviceIndexes.map(decodeServiceIndex),
    },
  }
}
