/** Reads from a running service of any version, Latchkey or the reference. It never writes. */
import * as z from 'zod'
import { isLinked } from '../dump/is-linked.ts'
import { readDump } from '../dump/read-dump.ts'
import type { DumpSource } from '../dump/source.ts'
import { EXIT, InputError } from '../errors.ts'
import { type HttpReader, UnreadError } from '../scan/http-reader.ts'
import type { MemberStatus, Mode } from '../simulate/history.ts'

export interface SeenServer {
  readonly name: string
  readonly version: string
  /** Undefined if it is unknown. */
  readonly mode: Mode | undefined
  readonly status: MemberStatus
}

/** Number of tokens without an accessor. */
export interface SeenTokens {
  readonly total: number
  readonly withoutAccessor: number
  /** Tokens with legacy rules and no link or identity. */
  readonly legacyRights: number
}

/** The service did not answer, or its answer was unexpected. */
export class ServiceSilent extends Error {
  override readonly name = 'ServiceSilent'
}

export class ServiceApi {
  readonly address: string
  private readonly reader: HttpReader

  constructor(reader: HttpReader) {
    this.address = reader.name
    this.reader = reader
  }

  /** The servers as this server sees them; undefined if it does not show them to this token. */
  async servers(): Promise<readonly SeenServer[] | undefined> {
    const answer = await this.ask('/v1/agent/members')
    if (answer === undefined) return undefined
    const servers = membersSchema.parse(answer).filter(({ Tags }) => Tags.role !== 'node')
    return withoutReplaced(servers.map(seenServer))
  }

  /** What this server reports about itself; undefined if it does not show this to the token. */
  async self(): Promise<SeenServer | undefined> {
    const answer = await this.ask('/v1/agent/self')
    if (answer === undefined) return undefined
    const { Member, Stats } = selfSchema.parse(answer)
    const own = MODES_OF_SELF[Stats.consul?.acl ?? Stats.latchkey?.acl ?? '']
    const seen = seenServer(Member)
    return own === undefined ? seen : { ...seen, mode: own }
  }

  /** Undefined if the service has no such endpoint. */
  async migration(): Promise<z.infer<typeof migrationSchema> | undefined> {
    const answer = await this.ask('/v1/internal/acl/migration')
    return answer === undefined ? undefined : migrationSchema.parse(answer)
  }

  /**
   * Counts tokens through the token API or, before 1.4.0 and in legacy mode, through the legacy API.
   *
   * @throws InputError if the token may not list tokens.
   */
  async tokens(): Promise<SeenTokens> {
    try {
      return await this.count('/v1/acl/tokens', ({ AccessorID }) => AccessorID === '')
    } catch (error) {
      if (!(error instanceof UnreadError) || error.status === undefined) throw this.failure(error)
      // Legacy mode is a 403 in Latchkey, and a 500 in the reference. A token without rights cannot read either list.
    }
    return await this.legacyTokens()
  }

  /**
   * Counts the tokens with an accessor whose rights come only from their type: the legacy API made them management tokens
   * after their migration. Only the legacy list shows types; without it, the count is 0.
   */
  async managersByType(): Promise<number> {
    try {
      const untyped = new Set<string>()
      for await (const record of this.records('/v1/acl/tokens')) {
        const { AccessorID, Legacy, CreateIndex, Description = '' } = record
        if (AccessorID !== '' && Legacy !== true && !isLinked(record))
          untyped.add(`${CreateIndex} ${Description}`)
      }
      let found = 0
      if (untyped.size === 0) return found
      for await (const { Type, CreateIndex, Name = '' } of this.records('/v1/acl/list')) {
        if (Type === 'management' && untyped.has(`${CreateIndex} ${Name}`)) found += 1
      }
      return found
    } catch (error) {
      if (error instanceof UnreadError && error.status !== undefined) return 0
      throw this.failure(error)
    }
  }

  /** The legacy list, as a dump. */
  legacyList(): DumpSource {
    return { name: this.address, chunks: this.reader.stream('/v1/acl/list') }
  }

  private async legacyTokens(): Promise<SeenTokens> {
    try {
      return await this.count('/v1/acl/list', () => true)
    } catch (error) {
      throw this.failure(error)
    }
  }

  private async count(
    path: string,
    lacksAccessor: (record: z.infer<typeof tokenSchema>) => boolean,
  ): Promise<SeenTokens> {
    let [total, withoutAccessor, legacyRights] = [0, 0, 0]
    for await (const record of this.records(path)) {
      total += 1
      if (lacksAccessor(record)) withoutAccessor += 1
      if (showsLegacyRights(record)) legacyRights += 1
    }
    return { total, withoutAccessor, legacyRights }
  }

  private async *records(path: string): AsyncGenerator<z.infer<typeof tokenSchema>> {
    const chunks = this.reader.stream(path)
    // The scanner would report any error of the stream as a damaged dump, so the status of the answer is checked first.
    const first = await chunks.next()
    const source = { name: this.address, chunks: withFirst(first, chunks) }
    for await (const group of readDump(source)) {
      for (const { value } of group) yield tokenSchema.parse(value)
    }
  }

  private async ask(path: string): Promise<unknown> {
    try {
      return await this.reader.json(path)
    } catch (error) {
      // This version does not have the endpoint, or does not show it to this token.
      if (error instanceof UnreadError && ABSENT.has(error.status ?? 0)) return undefined
      throw this.failure(error)
    }
  }

  private failure(error: unknown): unknown {
    if (!(error instanceof UnreadError)) return error
    const { status, message } = error
    if (status === undefined) return new ServiceSilent(`it does not answer: ${message}`)
    if (status !== 401 && status !== 403) return new ServiceSilent(message)
    const advice =
      status === 401
        ? message
        : '403: the token may not list tokens; give one with acl:read with --token-file'
    return new InputError(advice, { place: { file: this.address }, exitCode: EXIT.failed })
  }
}

const ABSENT: ReadonlySet<number> = new Set([401, 403, 404, 405, 410])

async function* withFirst(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  if (first.done === true) return
  yield first.value
  yield* rest
}

const memberSchema = z.object({
  Name: z.string(),
  Tags: z
    .record(z.string(), z.string())
    .nullish()
    .transform((tags) => tags ?? {}),
  Status: z.number(),
})
const membersSchema = z.array(memberSchema)
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
  TokensPerSecond: z.number(),
  EstimatedSeconds: z.number(),
  WaitsFor: z.array(z.string()).optional(),
})
const tokenSchema = z.object({
  AccessorID: z.string().optional(),
  /** The name: Name in the legacy list, Description in the list of the token API. */
  Name: z.string().optional(),
  Description: z.string().optional(),
  CreateIndex: z.number().optional(),
  Type: z.string().optional(),
  Rules: z.string().optional(),
  Legacy: z.boolean().optional(),
  Policies: z.array(z.unknown()).nullish(),
  Roles: z.array(z.unknown()).nullish(),
  ServiceIdentities: z.array(z.unknown()).nullish(),
  NodeIdentities: z.array(z.unknown()).nullish(),
})

/** Whether a token has legacy rules, which 1.11 ignores. The list of the token API shows this as `Legacy`. */
function showsLegacyRights(record: z.infer<typeof tokenSchema>): boolean {
  const { Legacy, Type, Rules = '' } = record
  return !isLinked(record) && (Legacy === true || (Type === 'client' && Rules !== ''))
}

const STATUSES: Readonly<Record<number, MemberStatus>> = { 1: 'alive', 2: 'alive', 3: 'left', 4: 'failed' }
/** Modes by the gossip tag `acls`. A server without this tag runs a version before 1.4.0. */
const MODES_OF_TAG: Readonly<Record<string, Mode>> = { '0': 'off', '1': 'new', '2': 'legacy' }
const MODES_OF_SELF: Readonly<Record<string, Mode>> = { disabled: 'off', enabled: 'new', legacy: 'legacy' }

function seenServer({ Name, Tags, Status }: z.infer<typeof memberSchema>): SeenServer {
  const [version = ''] = (Tags.build ?? '').split(':')
  return {
    name: Name,
    version,
    mode: Tags.acls === undefined ? 'old' : MODES_OF_TAG[Tags.acls],
    status: STATUSES[Status] ?? 'failed',
  }
}

/** Hides a stopped process if a live process has the same name. */
function withoutReplaced(servers: readonly SeenServer[]): SeenServer[] {
  const alive = new Set(servers.filter(({ status }) => status === 'alive').map(({ name }) => name))
  const kept = servers.filter(({ name, status }) => status === 'alive' || !alive.has(name))
  return [...new Map(kept.map((each) => [each.name, each])).values()].sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )
}
