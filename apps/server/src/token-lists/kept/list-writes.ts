/** Decides when lists are written to files, and tracks which parts of a list its file contains. */
import type { TokenListRequest } from '@latchkey/service'
import type { BaseLogger } from 'pino'
import type { KeyRing } from '../../secrets/key-ring.ts'
import type { ListPart, TokenList } from '../token-list.ts'
import { basisOf } from './basis.ts'
import { ListDraft, ListTooLong, type MadeFrom } from './list-draft.ts'
import type { ListFolder } from './list-folder.ts'

export interface ListWritesOptions {
  readonly folder: ListFolder
  /** Maximum size of all files together, in bytes. */
  readonly bytesMax: number
  /** Minimum length of a list, in bytes. Default: 4 MiB, which is 11,000 to 16,000 typical tokens. */
  readonly bytesMin?: number | undefined
  /** Minimum time between two writes of one list, in milliseconds. Default: a minute. */
  readonly pauseMs?: number | undefined
  /** Time from a change to its write, in milliseconds. Default: a second, so that the answer is sent first. */
  readonly delayMs?: number | undefined
  readonly ring: KeyRing
  readonly log: BaseLogger
}

/** A list in memory that may have to be written. */
interface Offer {
  readonly request: TokenListRequest
  /** Returns the current list; undefined if it is no longer in memory. */
  readonly latest: () => TokenList | undefined
}

const BYTES_MIN = 4_194_304
const PAUSE_MS = 60_000
const DELAY_MS = 1_000
/** A file is written again if this fraction of the tokens has changed or is missing from it. */
export const NEW_SHARE_MIN = 0.1

export class ListWrites {
  private readonly folder: ListFolder
  private readonly ring: KeyRing
  private readonly log: BaseLogger
  private readonly bytesMax: number
  /** Minimum length of a list to write, in bytes. */
  readonly bytesMin: number
  private readonly pauseMs: number
  private readonly delayMs: number
  /**
   * The parts that each file contains, by path. A part is identified by its array of fingerprints, which survives
   * joining.
   */
  private readonly kept = new Map<string, WeakSet<Uint32Array>>()
  private readonly offers = new Map<string, Offer>()
  /** Paths of files being written. */
  private readonly busy = new Set<string>()
  /** Paths of lists that are longer than all files together may be. */
  private readonly tooLong = new Set<string>()
  /** The time of the last attempt by path, in milliseconds since the epoch. */
  private readonly triedAt = new Map<string, number>()
  private readonly background = new Set<Promise<void>>()
  private timer: { readonly dueAt: number; readonly handle: NodeJS.Timeout } | undefined
  private isClosed = false

  constructor({ folder, ring, log, bytesMax, bytesMin, pauseMs, delayMs }: ListWritesOptions) {
    this.folder = folder
    this.ring = ring
    this.log = log
    this.bytesMax = bytesMax
    this.bytesMin = bytesMin ?? BYTES_MIN
    this.pauseMs = pauseMs ?? PAUSE_MS
    this.delayMs = delayMs ?? DELAY_MS
  }

  /** Whether the file contains a part of the list. */
  has(path: string, { fingerprints }: ListPart): boolean {
    return this.kept.get(path)?.has(fingerprints) ?? false
  }

  /** Records that these parts were read from the file. */
  noteKept(path: string, parts: readonly ListPart[]): void {
    const kept = this.kept.get(path) ?? new WeakSet()
    this.kept.set(path, kept)
    for (const { fingerprints } of parts) kept.add(fingerprints)
  }

  /** Records that the file cannot be used. */
  forget(path: string): void {
    this.kept.delete(path)
  }

  /**
   * Call when a list in memory has changed. It is written soon if enough of it is missing from its file, otherwise at
   * the end.
   */
  offer(path: string, offer: Offer): void {
    if (this.isClosed) return
    this.offers.set(path, offer)
    this.writeLater(this.delayMs)
  }

  /** @returns undefined if the file is being written, was written less than the pause ago, or cannot be written. */
  async start(
    path: string,
    madeFrom: MadeFrom,
    pauseMs: number = this.pauseMs,
  ): Promise<ListDraft | undefined> {
    if (this.busy.has(path) || this.tooLong.has(path)) return undefined
    this.busy.add(path)
    try {
      // Another process may have written the file.
      const lastAt = Math.max((await this.folder.writtenAt(path)) ?? 0, this.triedAt.get(path) ?? 0)
      if (isOver(lastAt, pauseMs)) {
        this.triedAt.set(path, Date.now())
        await this.folder.create()
        return await ListDraft.start(path, { ring: this.ring, bytesMax: this.bytesMax, madeFrom })
      }
    } catch (error) {
      this.noteFailure(error, path)
    }
    this.busy.delete(path)
    return undefined
  }

  /** Finishes the file in the background, or removes it if the list was not read to its end. */
  end(draft: ListDraft, isWhole: boolean): Promise<void> {
    return this.inBackground(isWhole ? this.finish(draft).then(() => {}) : this.abandon(draft))
  }

  /** Writes each list that has changed since it was last written, unless that was less than the pause ago. */
  async close(): Promise<void> {
    this.isClosed = true
    clearTimeout(this.timer?.handle)
    await Promise.all(this.background)
    await this.writeOffers(0)
  }

  private writeLater(ms: number): void {
    const dueAt = Date.now() + ms
    if (this.timer && this.timer.dueAt <= dueAt) return
    clearTimeout(this.timer?.handle)
    const handle = setTimeout(() => {
      this.timer = undefined
      void this.inBackground(this.writeOffers(NEW_SHARE_MIN))
    }, ms)
    this.timer = { dueAt, handle: handle.unref() }
  }

  /** @returns a promise that resolves when the work is done or has failed. */
  private inBackground(work: Promise<void>): Promise<void> {
    const done = work
      .catch((error: unknown) => this.noteFailure(error))
      .finally(() => this.background.delete(done))
    this.background.add(done)
    return done
  }

  /** @param shareMin the fraction of a list that must be new. */
  private async writeOffers(shareMin: number): Promise<void> {
    let isLater = false
    for (const [path, offer] of this.offers) {
      const outcome = await this.writeOffer(path, offer, shareMin)
      isLater ||= outcome === 'later'
      // An offer that arrived during the write stays, and so does an offer that waits for the end.
      if (outcome === 'done' && this.offers.get(path) === offer) this.offers.delete(path)
    }
    if (isLater && !this.isClosed) this.writeLater(this.pauseMs)
  }

  private async writeOffer(
    path: string,
    { request, latest }: Offer,
    shareMin: number,
  ): Promise<'done' | 'later' | 'at the end'> {
    const list = latest()
    if (!list || list.bytes.length < this.bytesMin || this.tooLong.has(path)) return 'done'
    const basis = list.directoryVersion === request.directoryVersion ? basisOf(request) : undefined
    const share = this.newShare(path, list)
    if (basis === undefined || share === 0) return 'done'
    if (share < shareMin) return 'at the end'
    const draft = await this.start(path, { basis, at: request.now })
    if (!draft) return 'later'
    for (const part of list.parts) await draft.add(part)
    if (await this.finish(draft)) {
      this.forget(path)
      this.noteKept(path, list.parts)
    }
    return 'done'
  }

  /** The fraction of a list's tokens that are not in its file. */
  private newShare(path: string, { parts }: TokenList): number {
    let [tokens, fresh] = [0, 0]
    for (const part of parts) {
      tokens += part.fingerprints.length
      if (!this.has(path, part)) fresh += part.fingerprints.length
    }
    return tokens === 0 ? 0 : fresh / tokens
  }

  /** @returns whether the file now exists. */
  private async finish(draft: ListDraft): Promise<boolean> {
    const { path } = draft
    try {
      await this.folder.makeRoom(draft.bytes, path)
      await draft.finish()
      this.log.debug({ path, bytes: draft.bytes }, 'kept a list of tokens')
      this.busy.delete(path)
      return true
    } catch (error) {
      if (error instanceof ListTooLong) this.tooLong.add(path)
      this.noteFailure(error, path)
      await this.abandon(draft)
      return false
    }
  }

  private async abandon(draft: ListDraft): Promise<void> {
    const { path } = draft
    await draft.abandon().catch((error: unknown) => this.noteFailure(error, path))
    this.busy.delete(path)
  }

  private noteFailure(error: unknown, path?: string): void {
    this.log.warn({ err: error, path }, 'a list of tokens could not be kept in a file')
  }
}

/** Whether so many milliseconds have passed since a time. If the time is in the future, the clock was set back. */
export function isOver(since: number, ms: number): boolean {
  const elapsed = Date.now() - since
  return elapsed < 0 || elapsed >= ms
}
