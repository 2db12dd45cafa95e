/** Reads the tokens of a running server as records of a dump, from whichever list its version and mode have. */
import { type DumpRecord, DumpScanner, DumpSyntaxError } from '@latchkey/acl'
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import * as z from 'zod'
import { nameWithoutId } from '../dump/hidden-id.ts'
import { counted } from '../findings/finding.ts'
import { LEGACY_REMOVED, NEW_ACLS } from '../version.ts'
import { type HttpReader, UnreadError } from './http-reader.ts'
import type { Unread } from './scanned.ts'

const LEGACY_LIST = '/v1/acl/list'
const NEW_LIST = '/v1/acl/tokens'
/** Number of tokens whose rules are read at the same time. */
const CONCURRENCY = 8
/** Replaces rules that could not be read, so that their token still counts as one with rules. */
const RULES_UNREAD = '# could not be read'

const links = z
  .array(z.object({ ID: z.string().catch('') }))
  .nullish()
  .catch(undefined)
const identities = z.array(z.unknown()).nullish().catch(undefined)
/** A token of the token API. */
const stubSchema = z.object({
  AccessorID: z.string(),
  /** Later versions show it to those who may write tokens. It is read only to be left out. */
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

interface TokensRead {
  /** Tokens whose rules could not be read. */
  readonly rulesUnread: number
  /** Tokens without accessor that no list shows with their rules. */
  readonly lost: number
}

/**
 * Yields legacy tokens as the legacy list shows them, with their IDs, and tokens with accessor without their secrets.
 *
 * @param version the oldest version of the cluster, if it is known.
 * @throws UnreadError if no list can be read, DumpSyntaxError if it is none.
 */
export async function* readTokens(
  reader: HttpReader,
  version: ServiceVersion | undefined,
): AsyncGenerator<readonly DumpRecord[], TokensRead> {
  if (version !== undefined && isBefore(version, NEW_ACLS)) {
    yield* readList(reader, LEGACY_LIST)
    return { rulesUnread: 0, lost: 0 }
  }
  let rulesUnread = 0
  const waiting = new Set<number>()
  try {
    for await (const group of readList(reader, NEW_LIST)) {
      const read = await readGroup(reader, group, waiting)
      rulesUnread += read.rulesUnread
      yield read.records
    }
  } catch (error) {
    if (!isAbsent(error)) throw error
    yield* readList(reader, LEGACY_LIST)
    return { rulesUnread: 0, lost: 0 }
  }
  return { rulesUnread, lost: yield* readWaiting(reader, waiting, version) }
}

/** The parts of the tokens that could not be read. */
export function partsOf({ rulesUnread, lost }: TokensRead): Unread[] {
  return [
    ...(rulesUnread === 0
      ? []
      : [
          {
            what: `the rules of ${counted(rulesUnread, 'token')}`,
            path: '/v1/acl/token/:AccessorID',
            why: 'the token may not read them',
          },
        ]),
    ...(lost === 0
      ? []
      : [
          {
            what: `${counted(lost, 'token')} without accessor`,
            path: '/v1/acl/list',
            why: 'no list shows them',
          },
        ]),
  ]
}

/** In legacy mode, and before 1.4.0, there is only the legacy list. */
function isAbsent(error: unknown): boolean {
  return error instanceof UnreadError && (error.status === 404 || /legacy mode/.test(error.message))
}

async function* readList(reader: HttpReader, path: string): AsyncGenerator<readonly DumpRecord[], void> {
  const scanner = new DumpScanner()
  try {
    for await (const chunk of reader.stream(path)) yield scanner.push(chunk)
    yield scanner.end()
  } catch (error) {
    if (error instanceof DumpSyntaxError)
      throw new UnreadError(path, `the list is damaged: ${error.message}`, 200)
    throw error
  }
}

async function readGroup(
  reader: HttpReader,
  group: readonly DumpRecord[],
  waiting: Set<number>,
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
        records.push({ ...record, value: { ...recordOf(stub, rules ?? RULES_UNREAD), Description } })
      }
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  return { records: records.sort((a, b) => a.position - b.position), rulesUnread }
}

async function readRules(reader: HttpReader, { AccessorID }: Stub): Promise<string | undefined> {
  try {
    const token = await reader.json(`/v1/acl/token/${encodeURIComponent(AccessorID)}`)
    return z.object({ Rules: z.string() }).safeParse(token).data?.Rules
  } catch (error) {
    if (error instanceof UnreadError && error.status !== undefined) return undefined
    throw error
  }
}

function recordOf({ Legacy: _, SecretID: __, ...stub }: Stub, Rules: string): object {
  return { ...stub, Rules }
}

/** Tokens that wait for their accessor have no address in the token API, but the legacy list shows them until 1.11. */
async function* readWaiting(
  reader: HttpReader,
  waiting: ReadonlySet<number>,
  version: ServiceVersion | undefined,
): AsyncGenerator<readonly DumpRecord[], number> {
  if (waiting.size === 0) return 0
  if (version !== undefined && !isBefore(version, LEGACY_REMOVED)) return waiting.size
  let found = 0
  for await (const group of readList(reader, LEGACY_LIST)) {
    const records = group.filter(
      ({ value }) => 'CreateIndex' in value && waiting.has(Number(value.CreateIndex)),
    )
    found += records.length
    yield records
  }
  return Math.max(0, waiting.size - found)
}
