/** SQL statements for the tables of the catalog. */
import type { CatalogRecords, CatalogTable } from '@latchkey/catalog'
import {
  encodeCheck,
  encodeCoordinate,
  encodeNode,
  encodeService,
  encodeSession,
} from '../../catalog-rows.ts'
import type { NewRow, Statements } from '../statements.ts'

const BY_KEY = { key: true, createIndex: true, modifyIndex: true } as const
const inKeys = (keys: readonly string[]) => ({ key: { in: [...keys] } })

/** All columns of new rows. */
function rowsOf<R, C extends object>(rows: readonly NewRow<R>[], encode: (record: R) => C) {
  return rows.map(({ key, record, createIndex, modifyIndex }) => ({
    key,
    ...encode(record),
    createIndex,
    modifyIndex,
  }))
}

export const CATALOG_STATEMENTS: { readonly [T in CatalogTable]: Statements<CatalogRecords[T]> } = {
  nodes: {
    find: (tx, keys) => tx.catalogNode.findMany({ where: inKeys(keys), select: BY_KEY }),
    remove: (tx, keys) => tx.catalogNode.deleteMany({ where: inKeys(keys) }),
    create: (tx, rows) => tx.catalogNode.createMany({ data: rowsOf(rows, encodeNode) }),
  },
  services: {
    find: (tx, keys) => tx.catalogService.findMany({ where: inKeys(keys), select: BY_KEY }),
    remove: (tx, keys) => tx.catalogService.deleteMany({ where: inKeys(keys) }),
    create: (tx, rows) => tx.catalogService.createMany({ data: rowsOf(rows, encodeService) }),
  },
  checks: {
    find: (tx, keys) => tx.catalogCheck.findMany({ where: inKeys(keys), select: BY_KEY }),
    remove: (tx, keys) => tx.catalogCheck.deleteMany({ where: inKeys(keys) }),
    create: (tx, rows) => tx.catalogCheck.createMany({ data: rowsOf(rows, encodeCheck) }),
  },
  coordinates: {
    find: (tx, keys) => tx.catalogCoordinate.findMany({ where: inKeys(keys), select: BY_KEY }),
    remove: (tx, keys) => tx.catalogCoordinate.deleteMany({ where: inKeys(keys) }),
    create: (tx, rows) => tx.catalogCoordinate.createMany({ data: rowsOf(rows, encodeCoordinate) }),
  },
  sessions: {
    find: async (tx, keys) => {
      const where = { id: { in: [...keys] } }
      const select = { id: true, createIndex: true, modifyIndex: true } as const
      return (await tx.session.findMany({ where, select })).map(({ id, ...indexes }) => ({
        key: id,
        ...indexes,
      }))
    },
    remove: (tx, keys) => tx.session.deleteMany({ where: { id: { in: [...keys] } } }),
    create: (tx, rows) =>
      tx.session.createMany({
        data: rows.map(({ key, record, createIndex, modifyIndex }) => ({
          id: key,
          ...encodeSession(record),
          createIndex,
          modifyIndex,
        })),
      }),
  },
  serviceIndexes: {
    find: async (tx, keys) => {
      const rows = await tx.catalogServiceIndex.findMany({ where: { name: { in: [...keys] } } })
      return rows.map(({ name, ...indexes }) => ({ key: name, ...indexes }))
    },
    remove: (tx, keys) => tx.catalogServiceIndex.deleteMany({ where: { name: { in: [...keys] } } }),
    create: (tx, rows) =>
      tx.catalogServiceIndex.createMany({
        data: rows.map(({ key, createIndex, modifyIndex }) => ({ name: key, createIndex, modifyIndex })),
      }),
  },
}
