/**
 * Long lists of tokens, kept in files over restarts. A file says what its texts were made from; what the database holds
 * otherwise is read again. Decisions: kept lists.
 */
import type { Store, TokenListRequest } from '@latchkey/service'
import type { BaseLogger } from 'pino'
import { hasCode } from '../../has-code.ts'
import type { KeyRing } from '../../secrets/key-ring.ts'
import { readParts } from '../read-parts.ts'
import type { ListPart, TokenList } from '../token-list.ts'
import { basisOf } from './basis.ts'
import { ListDirectory } from './list-directory.ts'
import { type ChunkEntry, ListFileReader, placeBefore } from './list-file.ts'
import { ListWriting, type ReadChunks } from './list-writing.ts'
import { type Range, type Segment, type Segments, segmentsOf, startsOf } from './segments.ts'

interface KeptListsOptions {
  /** Created when it is needed. */
  readonly directory: string
  /** Of all files. */
  readonly bytesMax: number
  readonly ring: KeyRing
  /** What {@link readChunks} compares: lists of other stores are not kept. */
  readonly store: Store
  readonly readChunks: ReadChunks
  readonly log: BaseLogger
  /** Least length of a list, in bytes. Default: 4 MiB, which is some 11,000 tokens. */
  readonly bytesMin?: number
  /** Least time between two writes of one list. Default: a minute. */
  readonly pauseMs?: number
  /** Between a change and its write. Default: a second, for the answer to leave first. */
  readonly delayMs?: number
}

/** A file, and what of it is current. */
interface Found extends Segments {
  readonly reader: ListFileReader
}

/** A list that shall be written. */
interface Offered {
  readonly request: TokenListRequest
  /** As it is then; undefined if it is no longer in memory. */
  readonly latest: () => TokenList | undefined
}

const BYTES_MIN = 4_194_304
const PAUSE_MS = 60_000
const DELAY_MS = 1_000
/** A list of which less has to be read again is not worth a new file. */
const READ_SHARE_MIN = 0.1
/** Reading a file takes as long as a tenth of its tokens from the database; the check as much again. */
const READ_SHARE_MAX = 0.7

export class KeptLists {
  private readonly options: Required<KeptListsOptions>
  private readonly directory: ListDirectory
  /** By path: the fingerprints of the parts that are in the file. */
  private readonly kept = new Map<string, WeakSet<Uint32Array>>()
  private readonly offered = new Map<string, Offered>()
  /** Paths of which a file is being written. */
  private readonly busy = new Set<string>()
  /** When a path was last written, or tried, in milliseconds since the epoch. */
  private readonly triedAt = new Map<string, number>()
  private readonly background = new Set<Promise<void>>()
  private timer: NodeJS.Timeout | undefined
  private isClosed = false

  constructor(options: KeptListsOptions) {
    this.options = { bytesMin: BYTES_MIN, pauseMs: PAUSE_MS, delayMs: DELAY_MS, ...options }
    this.directory = new ListDirectory(options.directory, options.bytesMax)
  }

  /**
   * The parts of a list, from its file where they are current, and from the store otherwise.
   *
   * @param isStreamed the list does not stay in memory: it is written while it is read.
   */
  async *parts(request: TokenListRequest, key: string, isStreamed: boolean): AsyncGenerator<ListPart> {
    const basis = this.isKeepable(request) ? basisOf(request) : undefined
    if (basis === undefined) {
      yield* readParts(request, request.filter)
      return
    }
    const path = this.directory.pathOf(key)
    const found = await this.find(request, path, { basis, isStreamed })
    const isNew = isStreamed && (found?.readShare ?? 1) >= READ_SHARE_MIN
    const writing = isNew ? await this.start(path) : undefined
    let isWhole = false
    try {
      const parts = found ? this.foundParts(found, request, path) : readParts(request, request.filter)
      for await (const part of parts) {
        await writing?.add(part)
        yield part
      }
      isWhole = true
    } finally {
      await found?.reader.close()
      if (writing) {
        const end = isWhole ? this.finish(writing, path, { ...request, basis }) : this.abandon(writing, path)
        this.background.add(end)
        void end.finally(() => this.background.delete(end))
      }
    }
  }

  /** A list that is in memory has changed. It is written soon, if enough of it is not in its file. */
  offer(request: TokenListRequest, key: string, latest: () => TokenList | undefined): void {
    if (this.isClosed || !this.isKeepable(request)) return
    this.offered.set(key, { request, latest })
    this.writeLater(this.options.delayMs)
  }

  /** Writes what has changed since it was written. */
  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer)
    await this.writeOffered(0)
    await Promise.all(this.background)
  }

  private isKeepable({ store, filter }: TokenListRequest): boolean {
    const { namespace: _, ...others } = filter
    return store === this.options.store && Object.keys(others).length === 0
  }

  /** Whether a file says that a list is longer than so many bytes: the list is then not read in vain to find that out. */
  async isLonger(bytesMax: number, request: TokenListRequest, key: string): Promise<boolean> {
    const reader = this.isKeepable(request) ? await this.open(this.directory.pathOf(key)) : undefined
    await reader?.close()
    return reader !== undefined && reader.textBytes > bytesMax
  }

  /** @returns undefined if there is no file, or too little of it is current. */
  private async find(
    request: TokenListRequest,
    path: string,
    { basis, isStreamed }: { readonly basis: string; readonly isStreamed: boolean },
  ): Promise<Found | undefined> {
    const reader = await this.open(path)
    if (!reader) return undefined
    try {
      const { index } = reader
      if (index.basis !== basis) return await closed(reader)
      const starts = startsOf(index)
      // A list that goes into memory is decrypted while the database compares.
      const [found] = await Promise.all([
        this.options.readChunks(request.filter, starts, index.seed),
        isStreamed ? undefined : reader.readAhead(),
      ])
      const segments = segmentsOf(index, starts, { found, now: request.now })
      if (segments.readShare > READ_SHARE_MAX) return await closed(reader)
      await this.directory.noteUse(path)
      if (!this.kept.has(path)) this.kept.set(path, new WeakSet())
      return { reader, ...segments }
    } catch (error) {
      // The list is read as if there were no file: on a slow database, the comparison may take too long.
      this.options.log.warn(
        { err: error, path },
        'a kept list of tokens could not be compared with the database',
      )
      return closed(reader)
    }
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
    for (const segment of segments) {
      const parts = 'chunk' in segment ? await this.chunkParts(reader, segment.chunk, path) : undefined
      if (parts) yield* parts
      else yield* readParts(request, { ...request.filter, ...rangeOf(segment) })
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
      for (const { fingerprints } of parts) this.kept.get(path)?.add(fingerprints)
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
    if (!isUnreadable) await this.directory.remove(path)
  }

  private writeLater(ms: number): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined
      const writing = this.writeOffered(READ_SHARE_MIN)
      this.background.add(writing)
      void writing.finally(() => this.background.delete(writing))
    }, ms).unref()
  }

  /** @param shareMin how much of a list has to be new. */
  private async writeOffered(shareMin: number): Promise<void> {
    for (const [key, { request, latest }] of this.offered) {
      const path = this.directory.pathOf(key)
      const list = latest()
      const isWorthIt =
        list && list.bytes.length >= this.options.bytesMin && this.newShare(path, list) > shareMin
      const basis =
        isWorthIt && list.directoryVersion === request.directoryVersion ? basisOf(request) : undefined
      const writing = basis === undefined ? undefined : await this.start(path)
      // One that was written a moment ago has to wait.
      if (basis !== undefined && !writing) continue
      this.offered.delete(key)
      if (!list || !writing || basis === undefined) continue
      for (const part of list.parts) await writing.add(part)
      await this.finish(writing, path, { ...list, filter: request.filter, basis })
      this.kept.set(path, new WeakSet(list.parts.map(({ fingerprints }) => fingerprints)))
    }
    if (this.offered.size > 0 && !this.isClosed) this.writeLater(this.options.pauseMs)
  }

  /** Of the parts of a list, how many are not in its file, as a fraction. */
  private newShare(path: string, { parts }: TokenList): number {
    const kept = this.kept.get(path)
    return parts.filter(({ fingerprints }) => !kept?.has(fingerprints)).length / parts.length
  }

  /** @returns undefined if it is being written, or was a short time ago. */
  private async start(path: string): Promise<ListWriting | undefined> {
    if (this.busy.has(path)) return undefined
    this.busy.add(path)
    try {
      // Another process may have written it.
      const lastAt = Math.max((await this.directory.writtenAt(path)) ?? 0, this.triedAt.get(path) ?? 0)
      if (Date.now() - lastAt >= this.options.pauseMs) {
        this.triedAt.set(path, Date.now())
        await this.directory.create()
        return await ListWriting.start(path, { ring: this.options.ring, bytesMax: this.options.bytesMax })
      }
    } catch (error) {
      this.noteFailure(error, path)
    }
    this.busy.delete(path)
    return undefined
  }

  private async finish(
    writing: ListWriting,
    path: string,
    {
      filter,
      tokensIndex,
      basis,
    }: Pick<TokenListRequest, 'filter' | 'tokensIndex'> & { readonly basis: string },
  ): Promise<void> {
    try {
      await this.directory.makeRoom(writing.bytes, path)
      await writing.finish({ filter, tokensIndex, basis, readChunks: this.options.readChunks })
      this.options.log.debug({ path, bytes: writing.bytes }, 'kept a list of tokens')
      this.busy.delete(path)
    } catch (error) {
      this.noteFailure(error, path)
      await this.abandon(writing, path)
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

async function closed(reader: ListFileReader): Promise<undefined> {
  await reader.close()
}
