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
const RULES_UNREAD = '# could not be read'

const links = z
  .array(z.object({ ID: z.string().catch('') }))
  .nullish()
  .catch(undefined)
const identities = z.array(z.unknown()).nullish().catch(undefined)
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
  Legacy: z.boolean().catch(false),
  CreateIndex: z.number().catch(0),
  ModifyIndex: z.number().catch(0),
})
type Stub = z.infer<typeof stubSchema>

const legacySchema = z.object({
  Name: z.string().catch(''),
  Type: z.string().catch(''),
  CreateIndex: z.number(),
})

interface Typed {
  readonly record: DumpRecord
  readonly key: string
}

/** Facts that only the legacy list shows, which exists until 1.11. */
interface Open {
  /** CreateIndex of the tokens without an accessor, which have no address in the token API. */
  readonly waiting: Set<number>
  readonly untyped: Typed[]
}

interface TokensRead {
  readonly rulesUnread: number
  readonly lost: number
}

/** Yields legacy tokens as the legacy list shows them, and tokens with an accessor without secrets. */
export async function* readTokens(
  reader: HttpReader,
  version: ServiceVersion | undefined,
): AsyncGenerator<readonly DumpRecord[], TokensRead> {
  if (version !== undefined && isBefore(version, NEW_ACLS)) {
    yield* readList(reader, LEGACY_LIST)
    return { rulesUnread: 0, lost: 0 }
  }
  let rulesUnread = 0
  const open: Open = { waiting: new Set(), untyped: [] }
  try {
    for await (const group of readList(reader, NEW_LIST)) {
      const read = await readGroup(reader, group, open)
      rulesUnread += read.rulesUnread
      yield read.records
    }
  } catch (error) {
    const isRefused = error instanceof UnreadError
    // In legacy mode and before 1.4.0, only the legacy list exists.
    if (!isRefused || (error.status !== 404 && !/legacy mode/.test(error.message))) throw error
    yield* readList(reader, LEGACY_LIST)
    return { rulesUnread: 0, lost: 0 }
  }
  return { rulesUnread, lost: yield* readOpen(reader, open, version) }
}

export function partsOf({ rulesUnread, lost }: TokensRead): Unread[] {
  const rules = {
    what: `the rules of ${counted(rulesUnread, 'token')}`,
    path: '/v1/acl/token/:AccessorID',
    why: 'the token may not read them',
  }
  const tokens = {
    what: `${counted(lost, 'token')} without an accessor`,
    path: LEGACY_LIST,
    why: 'no list shows them',
  }
  return [...(rulesUnread === 0 ? [] : [rules]), ...(lost === 0 ? [] : [tokens])]
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
): Promise<{ readonly records: readonly DumpRecord[]; readonly rulesUnread: number }> {
  let rulesUnread = 0
  const records: DumpRecord[] = []
  const queue = group.values()
  const work = async () => {
    for (const record of queue) {
      const stub = stubSchema.safeParse(record.value).data
      if (stub?.AccessorID === '') waiting.add(stub.CreateIndex)
      else if (stub === undefined) records.push(record)
      else {
        const rules = stub.Legacy ? await readRules(reader, stub) : ''
        if (rules === undefined) rulesUnread += 1
        const Description = nameWithoutId(stub.Description, stub.SecretID)
        const { Legacy: _, SecretID: __, ...shown } = stub
        const read = { ...record, value: { ...shown, Rules: rules ?? RULES_UNREAD, Description } }
        if (rules === '' && !isLinked(stub)) untyped.push({ record: read, key: keyOf(stub) })
        else records.push(read)
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { records: records.sort((a, b) => a.position - b.position), rulesUnread }
}

async function readRules(reader: HttpReader, { AccessorID }: Stub): Promise<string | undefined> {
  try {
    const token = z.object({ Rules: z.string() })
    return (await reader.json(`/v1/acl/token/${encodeURIComponent(AccessorID)}`, token)).Rules
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

function keyOf({ CreateIndex, Description }: Pick<Stub, 'CreateIndex' | 'Description'>): string {
  return `${CreateIndex} ${Description}`
}

/** Completes the open tokens from the legacy list, until 1.11. @returns how many waiting ones it lacks. */
async function* readOpen(
  reader: HttpReader,
  { waiting, untyped }: Open,
  version: ServiceVersion | undefined,
): AsyncGenerator<readonly DumpRecord[], number> {
  const isGone = version !== undefined && !isBefore(version, LEGACY_REMOVED)
  let found = 0
  const managers = new Set<string>()
  if (!isGone && waiting.size + untyped.length > 0) {
    try {
      for await (const group of readList(reader, LEGACY_LIST)) {
        const records: DumpRecord[] = []
        for (const record of group) {
          const token = legacySchema.safeParse(record.value).data
          if (token === undefined) continue
          if (waiting.has(token.CreateIndex)) records.push(record)
          else if (token.Type === 'management')
            managers.add(keyOf({ CreateIndex: token.CreateIndex, Description: token.Name }))
        }
        found += records.length
        yield records
      }
    } catch (error) {
      // Without the list, types remain unknown, and waiting tokens are missing.
      if (waiting.size > 0 || !isRefusal(error)) throw error
    }
  }
  yield untyped.map(({ record, key }) =>
    managers.has(key) ? { ...record, value: { ...record.value, Type: 'management' } } : record,
  )
  return Math.max(0, waiting.size - found)
}
