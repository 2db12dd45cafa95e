/** One observation of a running upgrade: its servers, and the number of tokens without an accessor. It only reads. */
import type { DumpRecord } from '@latchkey/acl'
import * as z from 'zod'
import { type HttpReader, isRefusal, UnreadError } from '../scan/http-reader.ts'
import { type Member, memberOf, memberSchema } from '../scan/read-cluster.ts'
import { LEGACY_LIST, NEW_LIST, readList } from '../scan/read-tokens.ts'
import { type MemberStatus, MODE_TEXTS, type Mode } from '../simulate/history.ts'

export interface SeenServer {
  readonly name: string
  readonly version: string
  readonly mode: Mode
  readonly status: MemberStatus
}

export interface Observation {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Empty if no server shows them to this token. */
  readonly servers: readonly SeenServer[]
  /** `waiting` for the end of legacy mode, or in a secondary for accessors from the primary. */
  readonly state: 'waiting' | 'running' | 'done'
  readonly withoutAccessor: number
  /** Number of tokens with an accessor. */
  readonly done: number
  readonly batches: number | undefined
  readonly waitsFor: readonly string[]
}

export function areInNewMode(servers: readonly SeenServer[]): boolean {
  const alive = servers.filter(({ status }) => status === 'alive')
  return alive.length > 0 && alive.every(({ mode }) => mode === 'new')
}

/** Whether a server gave no answer that helps: it may be stopping, or without a leader. */
export function isSilent(error: unknown): error is UnreadError {
  return error instanceof UnreadError && error.status !== 401 && error.status !== 403
}

/** Through the first server that answers; each is asked for its own mode, as gossip may be stale. */
export async function observe(readers: readonly HttpReader[]): Promise<Observation> {
  let silent: unknown
  for (const reader of readers) {
    try {
      return await observeThrough(reader, readers)
    } catch (error) {
      if (!isSilent(error)) throw error
      silent ??= error
    }
  }
  throw silent
}

async function observeThrough(reader: HttpReader, readers: readonly HttpReader[]): Promise<Observation> {
  const seen = await readServers(reader)
  const selves = await Promise.all(
    readers.map((each) =>
      readSelf(each).catch((error: unknown) => {
        if (!isSilent(error)) throw error
      }),
    ),
  )
  const servers = byName([...(seen ?? []), ...selves.flatMap((self) => self ?? [])])
  const at = Date.now()
  const blockers = servers
    .filter(({ status, mode }) => status === 'alive' && mode !== 'new')
    .map((server) => `${serverText(server)} to leave legacy mode`)
  if (seen === undefined) blockers.push('servers that this token may not see: give one that may')
  const status = await readIfThere(reader, '/v1/internal/acl/migration', migrationSchema)
  if (status !== undefined) {
    const { State: state, Done: done, Total, Batches: batches, WaitsFor = [] } = status
    const waitsFor = WaitsFor.length > 0 ? WaitsFor : blockers
    return { at, servers, state, withoutAccessor: Total - done, done, batches, waitsFor }
  }
  const { withoutAccessor, done } = await countTokens(reader)
  const state = blockers.length > 0 ? 'waiting' : withoutAccessor > 0 ? 'running' : 'done'
  return { at, servers, state, withoutAccessor, done, batches: undefined, waitsFor: blockers }
}

/** Undefined if the token may not see every server: the service leaves the others out, without an error. */
export async function readServers(reader: HttpReader): Promise<readonly SeenServer[] | undefined> {
  const members = await readIfThere(reader, '/v1/agent/members', z.array(memberSchema))
  if (members === undefined) return undefined
  const servers = members
    .map((each) => memberOf(each))
    .filter(({ isServer }) => isServer)
    .map(seenServer)
  const peers = await readIfThere(reader, '/v1/status/peers', z.array(z.string()))
  if (servers.length < Math.max(1, peers?.length ?? 0)) return undefined
  // Of two processes with one name, a live one hides a stopped one.
  return byName(servers.sort((a, b) => Number(a.status === 'alive') - Number(b.status === 'alive')))
}

async function readSelf(reader: HttpReader): Promise<SeenServer | undefined> {
  const answer = await readIfThere(reader, '/v1/agent/self', selfSchema)
  if (answer === undefined) return undefined
  const { Member, Stats } = answer
  const seen = seenServer(memberOf(Member))
  return { ...seen, mode: MODES_OF_SELF[Stats.consul?.acl ?? Stats.latchkey?.acl ?? ''] ?? seen.mode }
}

function byName(servers: readonly SeenServer[]): SeenServer[] {
  const unique = [...new Map(servers.map((each) => [each.name, each])).values()]
  return unique.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** A server without a gossiped mode runs a version before 1.4.0. */
function seenServer({ name, version, mode, status }: Member): SeenServer {
  return { name, version: version?.text ?? '', mode: mode === 'unknown' ? 'old' : mode, status }
}

/** Counts through the token API or, before 1.4.0 and in legacy mode, through the legacy list, without accessors. */
async function countTokens(reader: HttpReader): Promise<{ withoutAccessor: number; done: number }> {
  const count = async (path: string, hasAccessor: (record: object) => boolean) => {
    let [withoutAccessor, done] = [0, 0]
    for await (const group of readList(reader, path)) {
      const found = group.filter(({ value }: DumpRecord) => hasAccessor(value)).length
      done += found
      withoutAccessor += group.length - found
    }
    return { withoutAccessor, done }
  }
  try {
    return await count(NEW_LIST, (record) => !('AccessorID' in record && record.AccessorID === ''))
  } catch (error) {
    if (!isRefusal(error)) throw error
    return await count(LEGACY_LIST, () => false)
  }
}

const ABSENT: readonly (number | undefined)[] = [401, 403, 404, 405, 410]

async function readIfThere<T>(
  reader: HttpReader,
  path: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  return reader.json(path, schema).catch((error: unknown) => {
    if (error instanceof UnreadError && ABSENT.includes(error.status)) return undefined
    throw error
  })
}

const MODES_OF_SELF: Readonly<Record<string, Mode>> = { disabled: 'off', enabled: 'new', legacy: 'legacy' }
const statsSchema = z.object({ acl: z.string().optional() }).optional()
const selfSchema = z.object({
  Member: memberSchema,
  Stats: z.object({ consul: statsSchema, latchkey: statsSchema }),
})
const migrationSchema = z.object({
  State: z.enum(['waiting', 'running', 'done']),
  Done: z.number(),
  Total: z.number(),
  Batches: z.number(),
  WaitsFor: z.array(z.string()).optional(),
})

export function serverText({ name, version, mode, status }: SeenServer): string {
  const facts = [version, MODE_TEXTS[mode], status === 'alive' ? '' : status]
  return `${name} (${facts.filter((each) => each !== '').join(', ')})`
}
