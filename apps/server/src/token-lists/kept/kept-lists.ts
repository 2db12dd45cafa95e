/**
 * Long lists of tokens, kept in files across restarts. A file records what its texts were made from; whatever differs
 * in the database is read again. Decisions: kept lists.
 */
import type { Store, TokenFilter, TokenListRequest } from '@latchkey/service'
import type { BaseLogger } from 'pino'
import { sqlStateOf } from '../../database/database-error.ts'
import { hasCode } from '../../has-code.ts'
import type { KeyRing } from '../../secrets/key-ring.ts'
import type { TokenDigests } from '../../storage/postgres-store.ts'
import { readParts } from '../read-parts.ts'
import type { ListPart, TokenList } from '../token-list.ts'
import { basisOf } from './basis.ts'
import type { ListDraft } from './list-draft.ts'
import { type ChunkEntry, ListFileReader, placeBefore } from './list-file.ts'
import { ListFolder } from './list-folder.ts'
import { isOver, ListWrites, type ListWritesOptions, NEW_SHARE_MIN } from './list-writes.ts'
import { currentChunks, type ListPiece, piecesOf, type Range, rangesOf } from './pieces.ts'

interface KeptListsOptions extends Omit<ListWritesOptions, 'folder'> {
  /** The path of the folder, which is created on demand. */
  readonly folder: string
  /** The store whose tokens {@link digests} reads: lists of other stores are not kept. */
  readonly store: Store
  readonly digests: TokenDigests
}

/** A file, and its current content. */
interface Found {
  readonly reader: ListFileReader
  readonly pieces: readonly ListPiece[]
  /** How many tokens of the list it contains. */
  readonly tokens: number
  readonly isWorthWriting: boolean
}

export interface Preparation {
  /** Ends the write and removes the partial file. */
  readonly signal: AbortSignal
  /** If the tokens to read are fewer or more than this, the list is not prepared. Default: no limit. */
  readonly tokensMin?: number
  readonly tokensMax?: number
  /** Whether a file that was written less than the pause ago may be replaced. Default: no. */
  readonly isUrgent?: boolean
}

/** How a list is read: into memory up to a maximum length, or streamed to the client. */
export type Reading = { readonly bytesMax: number } | 'streamed'

/** If less than this fraction of a file is current, the whole list is read. */
const HELD_SHARE_MIN = 0.3
/** The length of a short token in a list, used to estimate the length of a list. */
const TOKEN_BYTES_MIN = 256
/** PostgreSQL's error code if a statement takes too long. */
const QUERY_CANCELED = '57014'
/** How long a list is not compared again after a comparison took too long, in milliseconds. */
const SLOW_PAUSE_MS = 300_000

export class KeptLists {
  private readonly ring: KeyRing
  private readonly store: Store
  private readonly digests: TokenDigests
  private readonly log: BaseLogger
  private readonly folder: ListFolder
  private readonly writes: ListWrites
  /** Paths of files that lacked much of the latest list. */
  private readonly outgrown = new Set<string>()
  /** When a comparison took too long, by path, in milliseconds since the epoch. */
  private readonly slowAt = new Map<string, number>()

  constructor({ folder, store, digests, ...options }: KeptListsOptions) {
    this.ring = options.ring
    this.log = options.log
    this.store = store
    this.digests = digests
    this.folder = new ListFolder(folder, options.bytesMax)
    this.writes = new ListWrites({ ...options, folder: this.folder })
  }

  /** Whether a list is longer than this many bytes according to its file. It is then not read just to find that out. */
  async isLonger(bytesMax: number, request: TokenListRequest, key: string): Promise<boolean> {
    const reader = this.isKeepable(request) ? await this.open(this.folder.pathOf(key)) : undefined
    await reader?.close()
    return reader !== undefined && reader.textBytes > bytesMax
  }

  /** The parts of a list: from its file where it is current, otherwise from the database. */
  async *parts(request: TokenListRequest, key: string, reading: Reading): AsyncGenerator<ListPart> {
    if (!this.isKeepable(request)) {
      yield* readParts(request, request.filter)
      return
    }
    const path = this.folder.pathOf(key)
    const found = await this.find(request, path, reading)
    // A list that is not kept in memory is written while it is read.
    const draft = reading === 'streamed' ? await this.startWriting(request, path, found) : undefined
    let [tokens, fresh] = [0, 0]
    let isWhole = false
    try {
      for await (const part of this.allParts(found, request, path)) {
        await draft?.add(part)
        tokens += part.fingerprints.length
        if (!this.writes.has(path, part)) fresh += part.fingerprints.length
        yield part
      }
      isWhole = true
      if (found && !draft && fresh >= tokens * NEW_SHARE_MIN) this.outgrown.add(path)
    } finally {
      await found?.reader.close().catch(() => {})
      if (draft) void this.writes.end(draft, isWhole)
    }
  }

  /** Writes a long list before it is requested, if its file lacks at least a tenth of it. */
  async prepare(
    request: TokenListRequest,
    key: string,
    { signal, tokensMin = 0, tokensMax = Number.POSITIVE_INFINITY, isUrgent = false }: Preparation,
  ): Promise<void> {
    const path = this.folder.pathOf(key)
    const tokens = await this.store.countTokens(request.filter)
    if (tokens * TOKEN_BYTES_MIN < this.writes.bytesMin || tokens < tokensMin || this.isSlow(path)) return
    const release = await this.folder.claim(path)
    if (!release) return
    let found: Found | undefined
    try {
      found = await this.find(request, path, 'streamed')
      const missing = tokens - (found?.tokens ?? 0)
      const isCurrent = missing < tokens * NEW_SHARE_MIN && found?.isWorthWriting !== true
      const isLeft = isCurrent || missing < tokensMin || missing > tokensMax
      const basis = isLeft ? undefined : basisOf(request)
      const madeFrom = basis === undefined ? undefined : { basis, at: request.now }
      const parts = this.allParts(found, request, path)
      const draft = madeFrom && (await this.writes.start(path, madeFrom, isUrgent ? 0 : undefined))
      if (draft) await this.fill(draft, parts, signal)
    } finally {
      await found?.reader.close().catch(() => {})
      await release()
    }
  }

  /** The parts of a range of a list, in a form that can be written to its file. */
  digestedParts(request: TokenListRequest, range: TokenFilter): AsyncIterable<ListPart> {
    const pages = this.isKeepable(request) ? this.digests.digestedPages(range) : undefined
    return readParts(request, range, pages)
  }

  /** Call when a list in memory has changed. @param latest returns its current form, if it is still in memory. */
  offer(request: TokenListRequest, key: string, latest: () => TokenList | undefined): void {
    if (this.isKeepable(request)) this.writes.offer(this.folder.pathOf(key), { request, latest })
  }

  /** Writes each list that has changed since it was last written, unless that was a short time ago. */
  close(): Promise<void> {
    return this.writes.close()
  }

  private async fill(draft: ListDraft, parts: AsyncIterable<ListPart>, signal: AbortSignal): Promise<void> {
    let isWhole = false
    try {
      for await (const part of parts) {
        if (signal.aborted) return
        await draft.add(part)
      }
      isWhole = true
    } finally {
      await this.writes.end(draft, isWhole)
    }
  }

  private allParts(
    found: Found | undefined,
    request: TokenListRequest,
    path: string,
  ): AsyncIterable<ListPart> {
    if (found) return this.foundParts(found, request, path)
    return this.digestedParts(request, request.filter)
  }

  private isKeepable({ store, filter }: TokenListRequest): boolean {
    const { namespace: _, ...others } = filter
    return store === this.store && Object.keys(others).length === 0
  }

  private async startWriting(
    request: TokenListRequest,
    path: string,
    found: Found | undefined,
  ): Promise<ListDraft | undefined> {
    const isOld = found ? found.isWorthWriting || this.outgrown.has(path) : !this.isSlow(path)
    const basis = isOld ? basisOf(request) : undefined
    const draft = basis && (await this.writes.start(path, { basis, at: request.now }))
    if (!draft) return undefined
    this.outgrown.delete(path)
    return draft
  }

  /** @returns undefined if there is no file, or too little of it is current. */
  private async find(request: TokenListRequest, path: string, reading: Reading): Promise<Found | undefined> {
    if (this.isSlow(path)) return undefined
    const reader = await this.open(path)
    if (!reader) return undefined
    let found: Found | undefined
    try {
      found = await this.compare(reader, request, reading)
    } catch (error) {
      if (!isTooSlow(error)) throw error
      this.slowAt.set(path, Date.now())
      this.log.warn({ err: error, path }, 'a kept list of tokens could not be compared with the database')
    } finally {
      if (!found) await reader.close()
    }
    if (found) await this.folder.noteUse(path)
    return found
  }

  private isSlow(path: string): boolean {
    return !isOver(this.slowAt.get(path) ?? 0, SLOW_PAUSE_MS)
  }

  private async compare(
    reader: ListFileReader,
    request: TokenListRequest,
    reading: Reading,
  ): Promise<Found | undefined> {
    const { index } = reader
    // If the clock was ahead, the file may lack tokens that are still valid.
    if (request.now < index.at || index.basis !== basisOf(request)) return undefined
    const ranges = rangesOf(index)
    const isAhead = reading !== 'streamed' && reader.textBytes <= reading.bytesMax
    // A list that will be kept in memory is decrypted while the database compares.
    const [chunksNow] = await Promise.all([
      this.digests.chunks(request.filter, ranges),
      isAhead ? reader.readAhead() : undefined,
    ])
    const current = currentChunks(index, chunksNow, request.now)
    let [tokens, held] = [0, 0]
    for (const [i, chunk] of index.chunks.entries()) {
      const count = ranges[i]?.tokens ?? 0
      tokens += count
      if (current.has(chunk)) held += count
    }
    if (held < tokens * HELD_SHARE_MIN) return undefined
    const isOutdated = tokens - held >= tokens * NEW_SHARE_MIN
    const isWorthWriting = isOutdated || reader.isOfOldKey
    return { reader, pieces: piecesOf(index, current), tokens: held, isWorthWriting }
  }

  private async open(path: string): Promise<ListFileReader | undefined> {
    try {
      return await ListFileReader.open(path, this.ring)
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) await this.discard(path, error)
      return undefined
    }
  }

  private async *foundParts(
    { reader, pieces }: Found,
    request: TokenListRequest,
    path: string,
  ): AsyncGenerator<ListPart> {
    let isDamaged = false
    for (const piece of pieces) {
      const chunk: ChunkEntry | undefined = 'chunk' in piece && !isDamaged ? piece.chunk : undefined
      const parts: readonly ListPart[] | undefined = chunk && (await this.chunkParts(reader, chunk, path))
      isDamaged ||= chunk !== undefined && !parts
      if (parts) yield* parts
      else yield* this.digestedParts(request, { ...request.filter, ...rangeOf(piece) })
    }
  }

  /** @returns undefined if its block is damaged. */
  private async chunkParts(
    reader: ListFileReader,
    chunk: ChunkEntry,
    path: string,
  ): Promise<readonly ListPart[] | undefined> {
    try {
      const parts = await reader.read(chunk)
      if (!reader.isOfOldKey) this.writes.noteKept(path, parts)
      return parts
    } catch (error) {
      await this.discard(path, error)
      return undefined
    }
  }

  /**
   * Removes a file that is damaged, or was written by a lost key or another version; but not a file that merely cannot
   * be read now.
   */
  private async discard(path: string, error: unknown): Promise<void> {
    this.log.warn({ err: error, path }, 'a kept list of tokens cannot be used')
    this.writes.forget(path)
    const isUnreadable = error instanceof Error && 'errno' in error
    if (!isUnreadable) await this.folder.remove(path)
  }
}

function rangeOf(piece: ListPiece): Range {
  if ('range' in piece) return piece.range
  return { after: placeBefore(piece.chunk.from), until: placeBefore(piece.chunk.to) }
}

/**
 * Whether a statement took too long. False if the database is unreachable, since then the list cannot be read either.
 */
function isTooSlow(error: unknown): boolean {
  return error instanceof Error && sqlStateOf(error.cause) === QUERY_CANCELED
}
