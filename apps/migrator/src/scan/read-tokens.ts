/** Reads the tokens of a running server as records of a dump, from the lists that its version and mode provide. */
import { type DumpRecord, DumpScanner, DumpSyntaxError } from '@latchkey/acl'
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import * as z from 'zod'
import { isLinked, nameWithoutId } from '../dump/hidden-id.ts'
import { counted } from '../findings/finding.ts'
import { LEGACY_REMOVED, NEW_ACLS } from '../version.ts'
import { type HttpReader, isRefusal, UnreadError } from './http-reader.ts'
import type { Unread } from './read-cluster.ts'

export const LEGACY_LIST = '/v1/acl/list'
export const NEW_LIST = '/v1/acl/tokens'
const CONCURRENCY = 8
const RULES_PATH = '/v1/acl/token/:AccessorID'

// What decides about rights has no substitute: a record in another form is passed on as it is.
const links = z.array(z.object({ ID: z.string() })).nullish()
const identities = z.array(z.unknown()).nullish()
const stubSchema = z.object({
  AccessorID: z.string(),
  /** Later versions show it to callers with acl:write. It is parsed only to remove it. */
  SecretID: z.string().optional().catch(undefined),
  Description: z.string().catch(''),
  Policies: links,
  Roles: links,
  ServiceIdentities: identities,
  NodeIdentities: identities,
  Local: z.boolean().catch(false),
  Legacy: z.boolean().default(false),
  CreateIndex: z.number(),
  ModifyIndex: z.number().catch(0),
})
type Stub = z.infer<typeof stubSchema>

const legacySchema = z.object({
  Name: z.string().catch(''),
  Type: z.string().catch(''),
  CreateIndex: z.number(),
})

/** Why tokens are incomplete, and how many. Their records have the reason as `Unread`, and no rules. */
type Gaps = Map<string, Unread & { count: number }>

interface Typed {
  readonly record: DumpRecord
  readonly key: string
}

/** Facts that only the legacy list shows, which exists until 1.11. */
interface Open {
  /** Tokens without an accessor, which have no address in the token API. */
  readonly waiting: Map<string, DumpRecord[]>
  readonly untyped: Typed[]
}

/** Yields legacy tokens as the legacy list shows them, and tokens with an accessor without secrets. */
export async function* readTokens(
  reader: HttpReader,
  version: ServiceVersion | undefined,
): AsyncGenerator<readonly DumpRecord[], Unread[]> {
  if (version !== undefined && isBefore(version, NEW_ACLS)) {
    yield* readList(reader, LEGACY_LIST)
    return []
  }
  const gaps: Gaps = new Map()
  const open: Open = { waiting: new Map(), untyped: [] }
  try {
    for await (const group of readList(reader, NEW_LIST)) yield await readGroup(reader, group, open, gaps)
  } catch (error) {
    const isRefused = error instanceof UnreadError
    // In legacy mode and before 1.4.0, only the legacy list exists.
    if (!isRefused || (error.status !== 404 && !/legacy mode/.test(error.message))) throw error
    yield* readList(reader, LEGACY_LIST)
    return []
  }
  yield* readOpen(reader, open, { version, gaps })
  return [...gaps.values()].map(({ count, what, ...rest }) => ({
    what: `${what} of ${counted(count, 'token')}`,
    ...rest,
  }))
}

/** The record of a token that a failed read leaves incomplete. No command takes it for a token that was read. */
function unread({ value, ...place }: DumpRecord, gap: Unread, gaps: Gaps): DumpRecord {
  const key = `${gap.what} ${gap.why}`
  gaps.set(key, { ...gap, count: (gaps.get(key)?.count ?? 0) + 1 })
  const { Rules: _, Type: __, ...rest } = value as { readonly Rules?: unknown; readonly Type?: unknown }
  return { ...place, value: { ...rest, Unread: `${gap.what}: ${gap.why}` } }
}

export async function* readList(
  reader: HttpReader,
  path: string,
): AsyncGenerator<readonly DumpRecord[], void> {
  const scanner = new DumpScanner()
  try {
    for await (const chunk of reader.stream(path)) yield scanner.push(chunk)
    scanner.end()
  } catch (error) {
    if (!(error instanceof DumpSyntaxError)) throw error
    throw new UnreadError({ server: reader.name, path }, `the list is damaged: ${error.message}`, 200)
  }
}

async function readGroup(
  reader: HttpReader,
  group: readonly DumpRecord[],
  { waiting, untyped }: Open,
  gaps: Gaps,
): Promise<readonly DumpRecord[]> {
  const records: DumpRecord[] = []
  const queue = group.values()
  const work = async () => {
    for (const record of queue) {
      const stub = stubSchema.safeParse(record.value).data
      if (stub === undefined) {
        records.push(record)
        continue
      }
      const key = keyOf(stub)
      const Description = nameWithoutId(stub.Description, stub.SecretID)
      const { Legacy, SecretID: _, ...shown } = stub
      const named = { ...record, value: { ...shown, Description } }
      if (stub.AccessorID === '') {
        waiting.set(key, [...(waiting.get(key) ?? []), named])
        continue
      }
      const rules = Legacy ? await readRules(reader, stub) : ''
      if (typeof rules !== 'string') records.push(unread(named, rules, gaps))
      else {
        const read = { ...named, value: { ...named.value, Rules: rules } }
        if (rules === '' && !isLinked(stub)) untyped.push({ record: read, key })
        else records.push(read)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return records.sort((a, b) => a.position - b.position)
}

async function readRules(reader: HttpReader, { AccessorID }: Stub): Promise<string | Unread> {
  const gap = (why: string) => ({ what: 'the rules', path: RULES_PATH, why })
  try {
    const token = z.object({ Rules: z.string().default('') })
    const { Rules } = await reader.json(`/v1/acl/token/${encodeURIComponent(AccessorID)}`, token)
    return Rules === '' ? gap('they were removed while the list was read') : Rules
  } catch (error) {
    if (!isRefusal(error)) throw error
    return gap(error.status === 404 ? '404: the token no longer exists' : error.message)
  }
}

function keyOf({ CreateIndex, Description }: Pick<Stub, 'CreateIndex' | 'Description'>): string {
  return `${CreateIndex} ${Description}`
}

/** Completes the open tokens from the legacy list. From 1.11 on it does not exist, and types decide nothing. */
async function* readOpen(
  reader: HttpReader,
  { waiting, untyped }: Open,
  { version, gaps }: { readonly version: ServiceVersion | undefined; readonly gaps: Gaps },
): AsyncGenerator<readonly DumpRecord[], void> {
  const isGone = version !== undefined && !isBefore(version, LEGACY_REMOVED)
  const managers = new Set<string>()
  let typesUnread: Unread | undefined
  if (!isGone && waiting.size + untyped.length > 0) {
    try {
      for await (const group of readList(reader, LEGACY_LIST)) {
        const records: DumpRecord[] = []
        for (const record of group) {
          const token = legacySchema.safeParse(record.value).data
          if (token === undefined) continue
          const key = keyOf({ CreateIndex: token.CreateIndex, Description: token.Name })
          if (waiting.get(key)?.pop() !== undefined) records.push(record)
          else if (token.Type === 'management') managers.add(key)
        }
        yield records
      }
    } catch (error) {
      if (waiting.size > 0 || !isRefusal(error)) throw error
      if (error.status !== 404 && error.status !== 410)
        typesUnread = { what: 'the type', path: LEGACY_LIST, why: error.message }
    }
  }
  const lost = { what: 'ID and rules', path: LEGACY_LIST, why: 'no list shows them' }
  yield [...waiting.values()].flat().map((record) => unread(record, lost, gaps))
  yield untyped.map(({ record, key }) => {
    if (typesUnread !== undefined) return unread(record, typesUnread, gaps)
    return managers.has(key) ? { ...record, value: { ...record.value, Type: 'management' } } : record
  })
}
