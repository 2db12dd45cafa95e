import { authMethodKey, DEFAULT_NAMESPACE } from '@latchkey/acl'
import type { ConflictReason } from '@latchkey/service'
import type { Database } from '../../database/connect.ts'
import { withAclErrors } from '../../database/database-error.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import {
  encodeAuthMethod,
  encodeBindingRule,
  encodeNamespace,
  encodePolicy,
  encodeRole,
  encodeSystem,
  methodKeyOf,
  nameKeyOf,
} from '../directory-rows.ts'
import { storeText } from '../read/stored-text.ts'
import { type Author, commitRows, inTransaction } from './row-commits.ts'
import type { DirectoryChange, EncodedWrite, GroupAnswer, Placed } from './writes.ts'

type Transaction = Prisma.TransactionClient

/** A conflict, and the place of its change within the write. */
interface Conflict {
  readonly place: number
  readonly reason: ConflictReason
}

/**
 * Commits writes that change policies, roles, namespaces or system facts, one after the other, in one transaction
 * that holds the lock of the commit index. They are rare, so several statements each do no harm.
 *
 * @returns undefined if the author is fenced: nothing was committed.
 * @throws AclError `unavailable`
 */
export function commitDirectory(
  { prisma, limits }: Database,
  secrets: SecretBox,
  writes: readonly EncodedWrite[],
  author: Author,
): Promise<GroupAnswer | undefined> {
  const { idleWhileLockingMs } = limits
  return withAclErrors(() =>
    prisma.$transaction((tx) => commitAll(tx, secrets, writes, { ...author, idleWhileLockingMs })),
  )
}

async function commitAll(
  tx: Transaction,
  secrets: SecretBox,
  writes: readonly EncodedWrite[],
  { memberId, known, idleWhileLockingMs }: Author & { readonly idleWhileLockingMs: number },
): Promise<GroupAnswer | undefined> {
  // Every write takes this lock first. Prisma's typed client cannot lock rows.
  const [locked] = await tx.$queryRaw<{ index: bigint }[]>`SELECT index,
    set_config('idle_in_transaction_session_timeout', ${`${idleWhileLockingMs}`}, true) FROM commit_index FOR UPDATE`
  const where = { id: memberId, isFenced: false, leftAt: null }
  const author = await tx.member.findFirst({ where, select: { id: true } })
  if (!locked || !author) return undefined
  const { index } = locked
  const isBehind = Number(index) < known
  const before = isBehind ? known + 1 : Number(index)
  if (isBehind) {
    // Every process that has seen a lost commit must read everything, whatever it has applied.
    await tx.commitIndex.updateMany({ data: { index: BigInt(before), pruned: BigInt(before) } })
  }
  const results: (number | ConflictReason)[] = []
  let reached = before
  for (const write of writes) {
    const result = await commitWrite(tx, secrets, write, { memberId, known: reached })
    if (typeof result === 'number') reached = result
    results.push(result)
  }
  await tx.$queryRaw`SELECT pg_notify('latchkey', ${`${reached}`})::text`
  return { before, results, isBehind }
}

/** @returns the index of the write, or why it cannot be committed, judged by the state before it. */
async function commitWrite(
  tx: Transaction,
  secrets: SecretBox,
  { rows, directory, above = 0 }: EncodedWrite,
  { memberId, known }: Author,
): Promise<number | ConflictReason> {
  const conflict = await findConflict(tx, directory)
  // Of several conflicts the first counts, so the rows before this one are tried, too.
  const tried = rows.filter(({ place }) => !conflict || place < conflict.place)
  const before = Math.max(known, above)
  if (tried.length > 0) {
    await tx.$executeRaw`SAVEPOINT before_write`
    if (before > known) await tx.commitIndex.updateMany({ data: { index: BigInt(before) } })
    const made = await commitRows(inTransaction(tx), [tried], 1, { memberId, known: before })
    const [result] = made?.results ?? []
    const reason = typeof result === 'string' ? result : conflict?.reason
    if (reason) await tx.$executeRaw`ROLLBACK TO SAVEPOINT before_write`
    if (typeof result === 'string') return result
  }
  if (conflict) return conflict.reason
  const index = BigInt(before + 1)
  for (const { change } of directory) await make(tx, secrets, change, index)
  await tx.change.createMany({
    data: directory.map(({ ordinal, change }) => ({
      index,
      ordinal,
      entity: change.table,
      op: change.op,
      key: keyOf(change),
    })),
  })
  const touched = Object.fromEntries(directory.map(({ change }) => [change.table, index]))
  await tx.commitIndex.updateMany({ data: { index, ...touched } })
  return before + 1
}

/** The conflict rules: see the port. `MemoryStore` has the same, and the store suite checks both. */
async function findConflict(
  tx: Transaction,
  changes: readonly Placed<DirectoryChange>[],
): Promise<Conflict | undefined> {
  for (const { place, change } of changes) {
    const reason = await conflictOf(tx, change)
    if (reason) return { place, reason }
  }
  if (!(await keepsAuthMethods(tx, changes))) return { place: Infinity, reason: 'changed' }
  const names = new Map<string, string>()
  for (const { change } of changes) {
    if (change.op === 'delete' || (change.table !== 'policies' && change.table !== 'roles')) continue
    const { record } = change
    const name = JSON.stringify([change.table, record.Namespace, nameKeyOf(record)])
    if ((names.get(name) ?? record.ID) !== record.ID) return { place: Infinity, reason: 'name_in_use' }
    names.set(name, record.ID)
  }
  return undefined
}

async function conflictOf(tx: Transaction, change: DirectoryChange): Promise<ConflictReason | undefined> {
  const key = keyOf(change)
  const found = await findExisting(tx, change)
  if (change.op === 'put' && found.some(({ id }) => id !== key)) return 'name_in_use'
  const modifyIndex = Number(found.find(({ id }) => id === key)?.modifyIndex ?? 0)
  if (change.expect !== undefined && modifyIndex !== change.expect) return 'changed'
  return (await keepsNamespaces(tx, change)) ? undefined : 'changed'
}

interface Existing {
  readonly id: string
  readonly modifyIndex: bigint
}

/** The stored record, and the one that has the name of the changed one. */
async function findExisting(tx: Transaction, change: DirectoryChange): Promise<readonly Existing[]> {
  const id = keyOf(change)
  switch (change.table) {
    case 'policies':
    case 'roles': {
      const { record } = change
      const name = { namespace: storeText(record.Namespace), nameKey: nameKeyOf(record) }
      const query = { where: { OR: [{ id }, name] }, select: { id: true, modifyIndex: true } }
      return change.table === 'policies' ? tx.policy.findMany(query) : tx.role.findMany(query)
    }
    case 'namespaces': {
      const row = await tx.namespace.findUnique({ where: { name: id }, select: { modifyIndex: true } })
      return row ? [{ id, ...row }] : []
    }
    case 'authMethods': {
      const row = await tx.authMethod.findUnique({ where: { key: id }, select: { modifyIndex: true } })
      return row ? [{ id, ...row }] : []
    }
    case 'bindingRules': {
      const row = await tx.bindingRule.findUnique({ where: { id }, select: { modifyIndex: true } })
      return row ? [{ id, ...row }] : []
    }
    case 'system': {
      const row = await tx.system.findUnique({ where: { key: id }, select: { modifyIndex: true } })
      return row ? [{ id, ...row }] : []
    }
  }
}

/** Whether after the changes every binding rule that they touch still has its auth method. */
async function keepsAuthMethods(
  tx: Transaction,
  changes: readonly Placed<DirectoryChange>[],
): Promise<boolean> {
  const ended: string[] = []
  for (const { change } of changes) {
    if (change.table === 'bindingRules' && change.op === 'delete') ended.push(keyOf(change))
  }
  for (const { change } of changes) {
    if (change.table === 'bindingRules' && change.op === 'put') {
      const where = { key: methodKeyOf(change.record) }
      if (!(await tx.authMethod.findUnique({ where, select: { key: true } }))) return false
    } else if (change.table === 'authMethods' && change.op === 'delete') {
      const where = { methodKey: keyOf(change), id: { notIn: ended } }
      if (await tx.bindingRule.findFirst({ where, select: { id: true } })) return false
    }
  }
  return true
}

/** Whether every record still has its namespace after the change. */
async function keepsNamespaces(tx: Transaction, change: DirectoryChange): Promise<boolean> {
  if (change.table === 'system') return true
  if (change.table === 'namespaces') {
    if (change.op === 'put') return true
    // In SQL, because partial indexes answer it, however many records there are.
    const [answer] = await tx.$queryRaw<{ holds: boolean }[]>`
      SELECT latchkey_namespace_holds(${keyOf(change)}) AS holds`
    return answer?.holds === false
  }
  const name = storeText(change.record.Namespace)
  if (change.op === 'delete' || name === DEFAULT_NAMESPACE) return true
  return (await tx.namespace.findUnique({ where: { name }, select: { name: true } })) !== null
}

/** A new record may bring its CreateIndex; an existing one keeps it. */
async function make(
  tx: Transaction,
  secrets: SecretBox,
  change: DirectoryChange,
  index: bigint,
): Promise<void> {
  const key = keyOf(change)
  if (change.op === 'delete') {
    const remove = {
      policies: () => tx.policy.deleteMany({ where: { id: key } }),
      roles: () => tx.role.deleteMany({ where: { id: key } }),
      namespaces: () => tx.namespace.deleteMany({ where: { name: key } }),
      authMethods: () => tx.authMethod.deleteMany({ where: { key } }),
      bindingRules: () => tx.bindingRule.deleteMany({ where: { id: key } }),
      system: () => tx.system.deleteMany({ where: { key } }),
    }
    await remove[change.table]()
    return
  }
  const modified = { modifyIndex: index }
  const created = { createIndex: BigInt(change.record.CreateIndex) || index, ...modified }
  switch (change.table) {
    case 'policies': {
      const data = encodePolicy(change.record)
      const update = { ...data, ...modified }
      await tx.policy.upsert({ where: { id: key }, create: { id: key, ...data, ...created }, update })
      return
    }
    case 'roles': {
      const data = encodeRole(change.record)
      const update = { ...data, ...modified }
      await tx.role.upsert({ where: { id: key }, create: { id: key, ...data, ...created }, update })
      return
    }
    case 'namespaces': {
      const data = encodeNamespace(change.record)
      const update = { ...data, ...modified }
      await tx.namespace.upsert({ where: { name: key }, create: { name: key, ...data, ...created }, update })
      return
    }
    case 'authMethods': {
      const data = encodeAuthMethod(change.record, secrets)
      const update = { ...data, ...modified }
      await tx.authMethod.upsert({ where: { key }, create: { key, ...data, ...created }, update })
      return
    }
    case 'bindingRules': {
      const data = encodeBindingRule(change.record)
      const update = { ...data, ...modified }
      await tx.bindingRule.upsert({ where: { id: key }, create: { id: key, ...data, ...created }, update })
      return
    }
    case 'system': {
      const data = encodeSystem(change.record, secrets)
      const update = { ...data, ...modified }
      await tx.system.upsert({ where: { key }, create: { key, ...data, ...created }, update })
    }
  }
}

/** The record's primary key, which is its key in the change log. */
function keyOf({ table, record }: DirectoryChange): string {
  switch (table) {
    case 'policies':
    case 'roles':
    case 'bindingRules':
      return storeText(record.ID)
    case 'namespaces':
      return storeText(record.Name)
    case 'authMethods':
      return storeText(authMethodKey(record))
    case 'system':
      return record.Key
  }
}
