/** SQL statements for the tables that every process keeps in memory. */
import { keyOf, type RecordOf } from '@latchkey/service'
import {
  encodeAuthMethod,
  encodeBindingRule,
  encodeDestination,
  encodeIntention,
  encodeNamespace,
  encodePolicy,
  encodeRole,
  encodeSystem,
} from '../directory-rows.ts'
import { storeText } from '../read/stored-text.ts'
import { CATALOG_STATEMENTS } from './catalog/catalog-statements.ts'
import type { HeldTable, NewRow, Statements } from './statements.ts'
import type { HeldChange } from './writes.ts'

const INDEXES = { createIndex: true, modifyIndex: true } as const
const BY_ID = { id: true, ...INDEXES } as const
const BY_NAME = { name: true, ...INDEXES } as const
const BY_KEY = { key: true, ...INDEXES } as const

const inIds = (keys: readonly string[]) => ({ id: { in: [...keys] } })
const inNames = (keys: readonly string[]) => ({ name: { in: [...keys] } })
const inKeys = (keys: readonly string[]) => ({ key: { in: [...keys] } })

const withId = <T extends { readonly id: string }>({ id, ...indexes }: T) => ({ key: id, ...indexes })
const withName = <T extends { readonly name: string }>({ name, ...indexes }: T) => ({ key: name, ...indexes })

/** The columns of a new row, besides its key. */
function columnsOf<R, C extends object>(
  { record, createIndex, modifyIndex }: NewRow<R>,
  encode: (record: R) => C,
) {
  return { ...encode(record), createIndex, modifyIndex }
}

export const HELD_STATEMENTS: { readonly [T in HeldTable]: Statements<RecordOf[T]> } = {
  policies: {
    find: async (tx, keys) => (await tx.policy.findMany({ where: inIds(keys), select: BY_ID })).map(withId),
    remove: (tx, keys) => tx.policy.deleteMany({ where: inIds(keys) }),
    create: (tx, rows) =>
      tx.policy.createMany({ data: rows.map((row) => ({ id: row.key, ...columnsOf(row, encodePolicy) })) }),
  },
  roles: {
    find: async (tx, keys) => (await tx.role.findMany({ where: inIds(keys), select: BY_ID })).map(withId),
    remove: (tx, keys) => tx.role.deleteMany({ where: inIds(keys) }),
    create: (tx, rows) =>
      tx.role.createMany({ data: rows.map((row) => ({ id: row.key, ...columnsOf(row, encodeRole) })) }),
  },
  namespaces: {
    find: async (tx, keys) =>
      (await tx.namespace.findMany({ where: inNames(keys), select: BY_NAME })).map(withName),
    remove: (tx, keys) => tx.namespace.deleteMany({ where: inNames(keys) }),
    create: (tx, rows) =>
      tx.namespace.createMany({
        data: rows.map((row) => ({ name: row.key, ...columnsOf(row, encodeNamespace) })),
      }),
  },
  authMethods: {
    find: (tx, keys) => tx.authMethod.findMany({ where: inKeys(keys), select: BY_KEY }),
    remove: (tx, keys) => tx.authMethod.deleteMany({ where: inKeys(keys) }),
    create: (tx, rows, secrets) =>
      tx.authMethod.createMany({
        data: rows.map((row) => ({
          key: row.key,
          ...columnsOf(row, (record) => encodeAuthMethod(record, secrets)),
        })),
      }),
  },
  bindingRules: {
    find: async (tx, keys) =>
      (await tx.bindingRule.findMany({ where: inIds(keys), select: BY_ID })).map(withId),
    remove: (tx, keys) => tx.bindingRule.deleteMany({ where: inIds(keys) }),
    create: (tx, rows) =>
      tx.bindingRule.createMany({
        data: rows.map((row) => ({ id: row.key, ...columnsOf(row, encodeBindingRule) })),
      }),
  },
  intentions: {
    find: (tx, keys) => tx.intention.findMany({ where: inKeys(keys), select: BY_KEY }),
    remove: (tx, keys) => tx.intention.deleteMany({ where: inKeys(keys) }),
    create: (tx, rows) =>
      tx.intention.createMany({
        data: rows.map((row) => ({ key: row.key, ...columnsOf(row, encodeIntention) })),
      }),
  },
  intentionDestinations: {
    find: (tx, keys) => tx.intentionDestination.findMany({ where: inKeys(keys), select: BY_KEY }),
    remove: (tx, keys) => tx.intentionDestination.deleteMany({ where: inKeys(keys) }),
    create: (tx, rows) =>
      tx.intentionDestination.createMany({
        data: rows.map((row) => ({ key: row.key, ...columnsOf(row, encodeDestination) })),
      }),
  },
  system: {
    find: (tx, keys) => tx.system.findMany({ where: inKeys(keys), select: BY_KEY }),
    remove: (tx, keys) => tx.system.deleteMany({ where: inKeys(keys) }),
    create: (tx, rows, secrets) =>
      tx.system.createMany({
        data: rows.map((row) => ({
          key: row.key,
          ...columnsOf(row, (record) => encodeSystem(record, secrets)),
        })),
      }),
  },
  ...CATALOG_STATEMENTS,
}

/** Every table with such statements. */
export const HELD_TABLES = Object.keys(HELD_STATEMENTS) as readonly HeldTable[]

/** Rows of one statement: a policy may have half a megabyte. */
const PART_MAX = 200

/** Splits items into parts, one per statement. */
export function partsOf<T>(items: readonly T[], partMax = PART_MAX): readonly (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let start = 0; start < items.length; start += partMax) parts.push(items.slice(start, start + partMax))
  return parts
}

/** The record's primary key, which is its key in the change log. */
export function primaryKeyOf(change: HeldChange): string {
  return storeText(keyOf(change))
}
