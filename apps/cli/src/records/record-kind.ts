/** Implements the six verbs for every kind of record, from a description of the kind. */
import type { Client } from '@latchkey/sdk'
import type { Action } from '../frame/command-spec.ts'
import type { Input } from '../frame/input.ts'
import type { Session } from '../frame/session.ts'
import type { Column } from '../output/column.ts'

/** @typeParam R a record as read, L one as listed, B a body. */
export interface RecordKind<R extends object, L extends object, B extends object> {
  /** `policy`. */
  readonly word: string
  /** `policies`. */
  readonly plural: string
  readonly columns: readonly Column<L>[]
  readonly fields: readonly Column<R>[]
  list(client: Client, input: Input, session: Session): Promise<readonly L[]>
  /** Finds a record by the reference that the person gave. */
  find(client: Client, reference: string, input: Input): Promise<R>
  /** The body of a create or update: `base` with the changes of the options. */
  body(base: Partial<B>, input: Input, session: Session): Promise<B>
  /** Reads a body from the file of `--from`. */
  read(path: string, session: Session): Promise<Partial<B>>
  create(client: Client, body: B, input: Input): Promise<R>
  update(client: Client, existing: R, body: B, input: Input): Promise<R>
  delete(client: Client, existing: R): Promise<unknown>
  clone(client: Client, existing: R, input: Input): Promise<R>
  /** The label in messages: `policy orders-read`. */
  nameOf(record: R): string
  /** Converts a record to the base of an update. */
  baseOf(record: R): Partial<B>
  /** Side effects of a delete, as a sentence. */
  readonly deleteWarning: string
  /** Called before an update is written; may ask for confirmation, or refuse. */
  beforeUpdate?(existing: R, body: B, session: Session): Promise<void>
  /** A remark after a create or clone. */
  afterCreate?(record: R, session: Session): Promise<void>
}

export type RecordActions = Readonly<
  Record<'create' | 'read' | 'update' | 'delete' | 'list' | 'clone', Action>
>

export function recordActions<R extends object, L extends object, B extends object>(
  kind: RecordKind<R, L, B>,
): RecordActions {
  const baseFrom = async (input: Input, session: Session): Promise<Partial<B>> => {
    const path = input.text('from')
    return path === undefined ? {} : kind.read(path, session)
  }
  return {
    async create(session, input) {
      const base = await baseFrom(input, session)
      // The argument names the new record, whatever the file says.
      if (input.args.length > 0) Reflect.deleteProperty(base, 'Name')
      const body = await kind.body(base, input, session)
      const record = await kind.create(await session.client(), body, input)
      await session.note(`Created ${kind.nameOf(record)}.`)
      await session.out.record(record, kind.fields)
      await kind.afterCreate?.(record, session)
    },
    async read(session, input) {
      const record = await kind.find(await session.client(), input.arg(0), input)
      await session.out.record(record, kind.fields)
    },
    async update(session, input) {
      const client = await session.client()
      const existing = await kind.find(client, input.arg(0), input)
      const base = { ...kind.baseOf(existing), ...(await baseFrom(input, session)) }
      const body = await kind.body(base, input, session)
      await kind.beforeUpdate?.(existing, body, session)
      const record = await kind.update(client, existing, body, input)
      await session.note(`Updated ${kind.nameOf(record)}.`)
      await session.out.record(record, kind.fields)
    },
    async delete(session, input) {
      const client = await session.client()
      const existing = await kind.find(client, input.arg(0), input)
      await session.confirm(`Delete ${kind.nameOf(existing)}? ${kind.deleteWarning}`)
      await kind.delete(client, existing)
      await session.note(`Deleted ${kind.nameOf(existing)}.`)
    },
    async list(session, input) {
      const rows = await kind.list(await session.client(), input, session)
      session.progress.clear()
      await session.out.list(rows, kind.columns, `No ${kind.plural}.`)
    },
    async clone(session, input) {
      const client = await session.client()
      const record = await kind.clone(client, await kind.find(client, input.arg(0), input), input)
      await session.note(`Created ${kind.nameOf(record)}.`)
      await session.out.record(record, kind.fields)
      await kind.afterCreate?.(record, session)
    },
  }
}
