/**
 * Long lists of tokens, kept in files across restarts. A file says what its texts were made from; whatever differs in the
 * database is read again. Decisions: kept lists.
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
import { type ChunkEntry, ListFileReader, placeBefore } from './list-file.ts'
import { ListFolder } from './list-folder.ts'
import { ListWriting } from './list-writing.ts'
import { currentChunks, type Range, rangesOf, type Segment, segmentsOf } from './segments.ts'

interface KeptListsOptions {
  /** The folder of the files, which is created when it is needed. */
  readonly folder: string
  /** Maximum size of all files together. */
  readonly bytesMax: number
  readonly ring: KeyRing
  /** The store whose tokens {@link digests} reads: lists of other stores are not kept. */
  readonly store: Store
  readonly digests: TokenDigests
  readonly log: BaseLogger
  /** Minimum length of a list, in bytes. Default: 4 MiB, which is 11,000 to 16,000 usual tokens. */
  readonly bytesMin?: number
  /** Minimum time between two writes of one list, in milliseconds. Default: a minute. */
  readonly pauseMs?: number
  /** Time from a change to its write, in milliseconds. Default: a second, so that the answer leaves first. */
  readonly delayMs?: number
}

/** A file, and what of it is current. */
interface Found {
  readonly reader: ListFileReader
  readonly segments: readonly Segment[]
  readonly isWorthWriting: boolean
}

/** A list to be written. */
interface Offered {
  readonly request: TokenListRequest
  /** The list as it is then; undefined if it is no longer in memory. */
  readonly latest: () => TokenList | undefined
}

/** How a list is read: it goes into memory up to a length, or to the client. */
type Reading = { readonly bytesMax: number } | 'streamed'

const BYTES_MIN = 4_194_304
const PAUSE_MS = 60_000
const DELAY_MS = 1_000
/** A file is written again if this fraction of the tokens has changed, or is not in it. */
const NEW_SHARE_MIN = 0.1
/** If less of a file than this fraction is current, the whole list is read. */
const HELD_SHARE_MIN = 0.3
/** What PostgreSQL says if a statement takes too long. */
const QUERY_CANCELED = '57014'
/** How long a list is not compared again after a comparison took too long. */
const SLOW_PAUSE_MS = 300_000

export class KeptLists {
  private readonly options: Required<KeptListsOptions>
  private readonly folder: ListFolder
  /** Fingerprints of the parts that are in a file, by its path. */
  private readonly kept = new Map<string, WeakSet<Uint32Array>>()
  /** Paths of files of which the last list had much more than they have. */
  private readonly outgrown = new Set<string>()
  private readonly offered = new Map<string, Offered>()
  /** Paths of lists that are longer than all files may be together. */
  private readonly tooLong = new Set<string>()
  /** Files that are being written, by path. */
  private readonly busy = new Set<string>()
  /** When a file was last written, or tried, and when its comparison took too long; by path, in milliseconds since the epoch. */
  private readonly triedAt = new Map<string, number>()
  private readonly slowAt = new Map<string, number>()
  private readonly background = new Set<Promise<void>>()
  private timer: { readonly dueAt: number; readonly handle: NodeJS.Timeout } | undefined
  private isClosed = false

  constructor(options: KeptListsOptions) {
    this.options = { bytesMin: BYTES_MIN, pauseMs: PAUSE_MS, delayMs: DELAY_MS, ...options }
    this.folder = new ListFolder(options.folder, options.bytesMax)
  }

  /** Whether a file says that a list is longer than so many bytes: the list is then not read in vain to find that out. */
  async isLonger(bytesMax: number, request: TokenListRequest, key: string): Promise<boolean> {
    const reader = this.isKeepable(request) ? await this.open(this.folder.pathOf(key)) : undefined
    await reader?.close()
    return reader !== undefined && reader.textBytes > bytesMax
  }

  /** The parts of a list, from its file where they are current, and from the database otherwise. */
  async *parts(request: TokenListRequest, key: string, reading: Reading): AsyncGenerator<ListPart> {
    if (!this.isKeepable(request)) {
      yield* readParts(request, request.filter)
      return
    }
    const path = this.folder.pathOf(key)
    const found = await this.find(request, path, reading)
    // A list that does not stay in memory is written while it is read.
    const isSlow = !isOver(this.slowAt.get(path) ?? 0, SLOW_PAUSE_MS)
    const isOld = found ? found.isWorthWriting || this.outgrown.has(path) : !isSlow
    const isWritten = reading === 'streamed' && isOld
    const basis = isWritten ? basisOf(request) : undefined
    const writing = basis === undefined ? undefined : await this.start(path)
    const counts = { tokens: 0, kept: 0 }
    let isWhole = false
    try {
      const parts = found
        ? this.foundParts(found, request, path)
        : this.digestedParts(request, request.filter)
      for await (const part of parts) {
        await writing?.add(part)
        const tokens = part.fingerprints.length
        counts.tokens += tokens
        if (this.kept.get(path)?.has(part.fingerprints)) counts.kept += tokens
        yield part
      }
      isWhole = true
      if (found && counts.tokens - counts.kept >= counts.tokens * NEW_SHARE_MIN) this.outgrown.add(path)
    } finally {
      await found?.reader.close().catch(() => {})
      if (writing) {
        this.inBackground(
          isWhole && basis !== undefined
            ? this.finish(writing, path, { basis, now: request.now }).then(() => {})
            : this.abandon(writing, path),
        )
      }
    }
  }

  /** The parts of a range of a list, as they may enter its file. */
  digestedParts(request: TokenListRequest, range: TokenFilter): AsyncIterable<ListPart> {
    const pages = this.isKeepable(request) ? this.options.digests.digestedPages(range) : undefined
    return readParts(request, range, pages)
  }

  /** A list that is in memory has changed. It is written soon if enough of it is not in its file, else at the end. */
  offer(request: TokenListRequest, key: string, latest: () => TokenList | undefined): void {
    if (this.isClosed || !this.isKeepable(request)) return
    this.offered.set(key, { request, latest })
    this.writeLater(this.options.delayMs)
  }

  /** Writes what has changed since it was written. */
  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer?.handle)
    await Promise.all(this.background)
    await this.writeOffered(0)
  }

  private isKeepable({ store, filter }: TokenListRequest): boolean {
    const { namespace: _, ...others } = filter
    return store === this.options.store && Object.keys(others).length === 0
  }

  /** @returns undefined if there is no file, or too little of it is current. */
  private async find(request: TokenListRequest, path: string, reading: Reading): Promise<Found | undefined> {
    if (!isOver(this.slowAt.get(path) ?? 0, SLOW_PAUSE_MS)) return undefined
    const reader = await this.open(path)
    if (!reader) return undefined
    let found: Found | undefined
    try {
      found = await this.compare(reader, request, reading)
    } catch (error) {
      await reader.close()
      if (!isTooSlow(error)) throw error
      this.slowAt.set(path, Date.now())
      this.options.log.warn(
        { err: error, path },
        'a kept list of tokens could not be compared with the database',
      )
      return undefined
    }
    if (!found) {
      await reader.close()
      return undefined
    }
    await this.folder.noteUse(path)
    if (!this.kept.has(path)) this.kept.set(path, new WeakSet())
    return found
  }

  private async compare(
    reader: ListFileReader,
    request: TokenListRequest,
    reading: Reading,
  ): Promise<Found | undefined> {
    const { index } = reader
    // A clock that was ahead may have left out tokens that live.
    if (request.now < index.at || index.basis !== basisOf(request)) return undefined
    const isAhead = reading !== 'streamed' && reader.textBytes <= reading.bytesMax
    // A list that goes into memory is decrypted while the database compares.
    const ranges = rangesOf(index)
    const [found] = await Promise.all([
      this.options.digests.chunks(request.filter, ranges),
      isAhead ? reader.readAhead() : undefined,
    ])
    const current = currentChunks(index, found, request.now)
    let [tokens, held] = [0, 0]
    for (const [i, chunk] of index.chunks.entries()) {
      const count = ranges[i]?.tokens ?? 0
      tokens += count
      if (current.has(chunk)) held += count
    }
    if (held < tokens * HELD_SHARE_MIN) return undefined
    const isOutdated = tokens - held >= tokens * NEW_SHARE_MIN
    return { reader, segments: segmentsOf(index, current), isWorthWriting: isOutdated || reader.isOfOldKey }
  }

  private async open(path: string): Promise<ListFileReader | undefined> {
    try {
      return await ListFileReader.open(path, this.options.ring)
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) await this.discard(path, error)
      return undefined
    }
  }

  private async *foundParts(
    { reader, segments }: Found,
    request: TokenListRequest,
    path: string,
  ): AsyncGenerator<ListPart> {
    let isDamaged = false
    for (const segment of segments) {
      const chunk: ChunkEntry | undefined = 'chunk' in segment && !isDamaged ? segment.chunk : undefined
      const parts: readonly ListPart[] | undefined = chunk && (await this.chunkParts(reader, chunk, path))
      isDamaged ||= chunk !== undefined && !parts
      if (parts) yield* parts
      else yield* this.digestedParts(request, { ...request.filter, ...rangeOf(segment) })
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
      if (!reader.isOfOldKey) for (const { fingerprints } of parts) this.kept.get(path)?.add(fingerprints)
      return parts
    } catch (error) {
      await this.discard(path, error)
      return undefined
    }
  }

  /** A file that a lost key or another version wrote, or that was damaged, is removed; not one that cannot be read now. */
  private async discard(path: string, error: unknown): Promise<void> {
    this.options.log.warn({ err: error, path }, 'a kept list of tokens cannot be used')
    this.kept.delete(path)
    const isUnreadable = error instanceof Error && 'errno' in error
    if (!isUnreadable) await this.folder.remove(path)
  }

  private writeLater(ms: number): void {
    const dueAt = Date.now() + ms
    if (this.timer && this.timer.dueAt <= dueAt) return
    clearTimeout(this.timer?.handle)
    const handle = setTimeout(() => {
      this.timer = undefined
      this.inBackground(this.writeOffered(NEW_SHARE_MIN))
    }, ms)
    this.timer = { dueAt, handle: handle.unref() }
  }

  private inBackground(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => this.noteFailure(error, this.options.folder))
      .finally(() => this.background.delete(done))
    this.background.add(done)
  }

  /** @param shareMin how much of a list has to be new. */
  private async writeOffered(shareMin: number): Promise<void> {
    let isLater = false
    for (const [key, offer] of this.offered) {
      const { request, latest } = offer
      const path = this.folder.pathOf(key)
      const list = latest()
      const isLong = list !== undefined && list.bytes.length >= this.options.bytesMin
      const isOfDirectory = list?.directoryVersion === request.directoryVersion
      const basis = isLong && isOfDirectory ? basisOf(request) : undefined
      if (!list || basis === undefined) {
        this.offered.delete(key)
        continue
      }
      const share = await this.newShare(path, list)
      const take = () => {
        // A later offer remains.
        if (this.offered.get(key) === offer) this.offered.delete(key)
      }
      if (share === 0) take()
      // What is new is too little, and remains offered for the end.
      if (share === 0 || share < shareMin) continue
      const writing = await this.start(path)
      if (!writing) {
        isLater = true
        continue
      }
      take()
      for (const part of list.parts) await writing.add(part)
      if (await this.finish(writing, path, { basis, now: request.now }))
        this.kept.set(path, new WeakSet(list.parts.map(({ fingerprints }) => fingerprints)))
    }
    if (isLater && !this.isClosed) this.writeLater(this.options.pauseMs)
  }

  /** How many tokens of a list are not in its file, as a fraction. */
  private async newShare(path: string, { parts }: TokenList): Promise<number> {
    // Another process may have removed it.
    if ((await this.folder.writtenAt(path)) === undefined) return 1
    const kept = this.kept.get(path)
    let [tokens, fresh] = [0, 0]
    for (const { fingerprints } of parts) {
      tokens += fingerprints.length
      if (!kept?.has(fingerprints)) fresh += fingerprints.length
    }
    return tokens === 0 ? 0 : fresh / tokens
  }

  /** @returns undefined if it is being written, or was a short time ago. */
  private async start(path: string): Promise<ListWriting | undefined> {
    if (this.busy.has(path) || this.tooLong.has(path)) return undefined
    this.busy.add(path)
    try {
      // Another process may have written it.
      const lastAt = Math.max((await this.folder.writtenAt(path)) ?? 0, this.triedAt.get(path) ?? 0)
      if (isOver(lastAt, this.options.pauseMs)) {
        this.triedAt.set(path, Date.now())
        await this.folder.create()
        const { ring, bytesMax } = this.options
        return await ListWriting.start(path, { ring, bytesMax })
      }
    } catch (error) {
      this.noteFailure(error, path)
    }
    this.busy.delete(path)
    return undefined
  }

  /** @returns whether the file is there. */
  private async finish(
    writing: ListWriting,
    path: string,
    facts: { readonly basis: string; readonly now: number },
  ): Promise<boolean> {
    try {
      await this.folder.makeRoom(writing.bytes, path)
      await writing.finish(facts)
      this.options.log.debug({ path, bytes: writing.bytes }, 'kept a list of tokens')
      this.outgrown.delete(path)
      this.busy.delete(path)
      return true
    } catch (error) {
      if (error instanceof RangeError) this.tooLong.add(path)
      this.noteFailure(error, path)
      await this.abandon(writing, path)
      return false
    }
  }

  private async abandon(writing: ListWriting, path: string): Promise<void> {
    await writing.abandon().catch((error: unknown) => this.noteFailure(error, path))
    this.busy.delete(path)
  }

  private noteFailure(error: unknown, path: string): void {
    this.options.log.warn({ err: error, path }, 'a list of tokens could not be kept in a file')
  }
}

function rangeOf(segment: Segment): Range {
  if ('range' in segment) return segment.range
  return { after: placeBefore(segment.chunk.from), until: placeBefore(segment.chunk.to) }
}

/** Whether so many milliseconds have passed since a time. If that is in the future, the clock was set back. */
function isOver(since: number, ms: number): boolean {
  const elapsed = Date.now() - since
  return elapsed < 0 || elapsed >= ms
}

/** Whether a statement took too long: not if the database is away, as the list cannot be read then either. */
function isTooSlow(error: unknown): boolean {
  return error instanceof Error && sqlStateOf(error.cause) === QUERY_CANCELED
}
