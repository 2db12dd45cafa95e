import type { Client, Policy, TokenListEntry } from '@latchkey/sdk'
import { type Action, longName } from '../frame/command-spec.ts'
import type { Input } from '../frame/input.ts'
import type { Session } from '../frame/session.ts'
import { confirmRules } from '../insight/confirm-rules.ts'
import { type Fields, findRecord, type KindName, keyOf, resourceOf } from './find.ts'
import { manyOf, type RecordKind, type Verb } from './kinds.ts'
import { rightsText } from './links.ts'
import { type BodySchema, readRecord } from './read-body.ts'

function contentOf({
  ID: _,
  Hash: _h,
  CreateIndex: _c,
  ModifyIndex: _m,
  CreateTime: _t,
  ...content
}: Fields) {
  return content
}

/** The body of a create or update: `base` with the file of `--from`, and with the fields of the options. */
async function bodyOf(
  base: Fields,
  options: RecordKind['content'],
  input: Input,
  session: Session,
): Promise<Fields> {
  const body: Record<string, unknown> = { ...base }
  for (const option of options) {
    const { field, read } = option
    if (field === undefined) continue
    const name = longName(option).replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
    const value = read === undefined ? input.text(name) : await read(input, body, session)
    if (value !== undefined) body[field] = value
  }
  return body
}

async function fileOf(kind: KindName, input: Input, session: Session): Promise<Fields> {
  const path = input.text('from')
  if (path === undefined) return {}
  const { FOLDER_KINDS } = await import('../folder/kinds.ts')
  return readRecord(path, FOLDER_KINDS[kind].schema as BodySchema<Fields>, session)
}

export function recordActions(kind: RecordKind): Readonly<Record<Verb, Action>> {
  const { word, content, createOnly = [], updateOnly = [], cloneOptions = [] } = kind
  const isNamed = kind.reference === undefined
  const find = async (session: Session, input: Input) =>
    findRecord(await session.client(), word, input.arg(0))
  const nameOf = (record: Fields) =>
    `${word.replace('-', ' ')} ${kind.labelOf ? kind.labelOf(record) : record.Name}`
  const printCreated = async (record: Fields, session: Session) => {
    await session.note(`Created ${nameOf(record)}.`)
    await session.out.record(record, kind.fields)
    if (word !== 'token' || session.showsSecrets) return
    await session.note(
      `Its secret is hidden. To see it: latchkey token read ${record.AccessorID} --show-secret`,
    )
  }
  return {
    async create(session, input) {
      const file = await fileOf(word, input, session)
      // The argument names the new record, whatever the file says.
      const base = isNamed ? { ...file, Name: input.arg(0) } : file
      const body = await bodyOf(base, [...content, ...createOnly], input, session)
      await printCreated(await resourceOf(await session.client(), word).create(body), session)
    },
    async read(session, input) {
      await session.out.record(await find(session, input), kind.fields)
    },
    async update(session, input) {
      const existing = await find(session, input)
      const base = { ...contentOf(existing), ...(await fileOf(word, input, session)) }
      const body = await bodyOf(base, [...content, ...updateOnly], input, session)
      if (word === 'policy' && typeof body.Rules === 'string' && body.Rules !== existing.Rules) {
        await confirmRules(existing as unknown as Policy, body.Rules, session)
      }
      const record = await resourceOf(await session.client(), word).update(keyOf(word, existing), body)
      await session.note(`Updated ${nameOf(record)}.`)
      await session.out.record(record, kind.fields)
    },
    async delete(session, input) {
      const existing = await find(session, input)
      await session.confirm(`Delete ${nameOf(existing)}? ${kind.deleteWarning}`)
      await resourceOf(await session.client(), word).delete(keyOf(word, existing))
      await session.note(`Deleted ${nameOf(existing)}.`)
    },
    async list(session, input) {
      const client = await session.client()
      const query = (await kind.query?.(client, input)) ?? {}
      const rows =
        word === 'token'
          ? await listTokens(client, query, input, session)
          : await resourceOf(client, word).list(query)
      session.progress.clear()
      await session.out.list(rows, kind.columns, `No ${manyOf(word)}.`)
    },
    async clone(session, input) {
      const client = await session.client()
      const existing = await find(session, input)
      const changes = await bodyOf(isNamed ? { Name: input.arg(1) } : {}, cloneOptions, input, session)
      const record =
        word === 'token'
          ? await client.tokens.clone(keyOf(word, existing), changes)
          : await resourceOf(client, word).create({ ...contentOf(existing), ...changes })
      await printCreated(record, session)
    },
  }
}

const PAGE_SIZE = 1_000

async function listTokens(client: Client, query: object, input: Input, session: Session): Promise<Fields[]> {
  const search = input.text('search')?.toLowerCase()
  const limit = input.count('limit') ?? Number.POSITIVE_INFINITY
  const found: Fields[] = []
  if (limit === 0) return found
  let seen = 0
  for await (const token of client.tokens.each(query, { limit: PAGE_SIZE })) {
    seen += 1
    if (seen % PAGE_SIZE === 0) session.progress.show(`${seen} tokens …`)
    if (search !== undefined && !isFound(token, search)) continue
    found.push(token)
    if (found.length >= limit) break
  }
  return found
}

/** Whether a text occurs in the fields by which people recognize a token. */
function isFound(token: TokenListEntry, search: string): boolean {
  const { AccessorID, Description, AuthMethod = '' } = token
  return [AccessorID, Description, AuthMethod, rightsText(token)].some((text) =>
    text.toLowerCase().includes(search),
  )
}
