/** Describes how the fields of a record are stored, for tables that Prisma's client reads and writes. */
import type { StoredLink } from '@latchkey/acl'
import { Prisma } from '../generated/prisma/client.ts'
import { readText, storeText } from './read/stored-text.ts'

interface Codec<V, C> {
  /** Undefined if the field is the same in every record. */
  readonly column?: C
  encode?(value: V): unknown
  /** A field that is undefined is absent from the record if {@link isOptional}. */
  decode(stored: unknown): V
  readonly isOptional?: boolean
}

type Fields<R, Row> = { readonly [F in keyof R]-?: Codec<R[F], keyof Row> }

export interface RowCodec<R, Row> {
  encode(record: R): Partial<Record<keyof Row, unknown>>
  decode(row: Row): R
}

/** @param fields in the order that a record has. @param derive further columns, which only serve indexes. */
export function codedBy<R extends object, Row extends object>(
  fields: Fields<R, Row>,
  derive: (record: R) => Partial<Row> = () => ({}),
): RowCodec<R, Row> {
  const codecs = Object.entries(fields) as unknown as readonly [keyof R, Codec<unknown, keyof Row>][]
  return {
    encode(record) {
      const columns: Partial<Record<keyof Row, unknown>> = derive(record)
      for (const [field, { column, encode }] of codecs) {
        if (column !== undefined) columns[column] = encode ? encode(record[field]) : record[field]
      }
      return columns
    },
    decode(row) {
      const record: Partial<Record<keyof R, unknown>> = {}
      for (const [field, { column, decode, isOptional }] of codecs) {
        const value = decode(column === undefined ? undefined : row[column])
        if (value !== undefined || !isOptional) record[field] = value
      }
      return record as R
    },
  }
}

export function text<V extends string, C extends string>(column: C): Codec<V, C> {
  return { column, encode: storeText, decode: (stored) => readText(stored as string) as V }
}

/** Only for texts that the rules restrict, such as hashes. */
export function plain<V, C extends string>(column: C): Codec<V, C> {
  return { column, decode: (stored) => stored as V }
}

export function maybe<V, C extends string>(column: C): Codec<V | undefined, C> {
  return { column, encode: (value) => value ?? null, decode: (stored) => (stored ?? undefined) as V }
}

export function constant<V>(value: V): Codec<V, never> {
  return { decode: () => value }
}

/** The port guarantees that a value is JSON, and limits its size. @param absent what a database NULL stands for. */
export function json<V, C extends string>(column: C, absent?: null, isOptional = false): Codec<V, C> {
  return {
    column,
    encode: (value) => value ?? Prisma.DbNull,
    decode: (stored) => (stored ?? absent) as V,
    isOptional,
  }
}

export function texts<C extends string>(column: C): Codec<readonly string[], C> {
  return {
    column,
    encode: (values) => values.map(storeText),
    decode: (stored) => (stored as string[]).map(readText),
  }
}

export function links<C extends string>(column: C): Codec<readonly StoredLink[], C> {
  return {
    column,
    encode: (values) => values.map(({ ID }) => storeText(ID)),
    decode: (stored) => (stored as string[]).map((ID) => ({ ID: readText(ID) })),
  }
}

export function integer<C extends string>(column: C): Codec<number, C> {
  return { column, encode: BigInt, decode: Number }
}

export const INDEXES = { CreateIndex: integer('createIndex'), ModifyIndex: integer('modifyIndex') } as const
