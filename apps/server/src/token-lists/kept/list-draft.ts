/** Writes a list to a file while its parts are read, or afterwards. */
import type { KeyRing } from '../../secrets/key-ring.ts'
import type { ListPart } from '../token-list.ts'
import {
  type BlockPlace,
  entriesOf,
  type KeptPart,
  ListFileWriter,
  type ListIndex,
  type PartEntry,
} from './list-file.ts'

/** What a list was made from besides its tokens, and when. */
export type MadeFrom = Pick<ListIndex, 'basis' | 'at'>

/** A list is longer than all files together may be. */
export class ListTooLong extends Error {}

/** A completed chunk. */
interface Ended {
  /** CreateIndex of its first and its last token. */
  readonly first: number
  readonly last: number
  /** Undefined if the chunk was left out. */
  readonly block: { readonly parts: readonly PartEntry[]; readonly place: BlockPlace } | undefined
}

/**
 * Longer chunks are left out, because a chunk is in memory as a whole. Only a commit of very many tokens creates one.
 */
const CHUNK_BYTES_MAX = 16_777_216

/** A file error, such as a full disk, stops the writing but not the list: {@link ListDraft.finish} throws it. */
export class ListDraft {
  readonly path: string
  private readonly file: ListFileWriter
  private readonly bytesMax: number
  private readonly madeFrom: MadeFrom
  private readonly ended: Ended[] = []
  /** The parts of the next chunk. A chunk ends where the next part begins with another create index. */
  private parts: ListPart[] = []
  private failure: unknown

  private constructor(
    path: string,
    { file, bytesMax, madeFrom }: { file: ListFileWriter; bytesMax: number; madeFrom: MadeFrom },
  ) {
    this.path = path
    this.file = file
    this.bytesMax = bytesMax
    this.madeFrom = madeFrom
  }

  /** @param options.bytesMax the maximum size of the file. */
  static async start(
    path: string,
    options: { readonly ring: KeyRing; readonly bytesMax: number; readonly madeFrom: MadeFrom },
  ): Promise<ListDraft> {
    return new ListDraft(path, { ...options, file: await ListFileWriter.open(path, options.ring) })
  }

  /** How many bytes have been written. */
  get bytes(): number {
    return this.file.bytes
  }

  async add(part: ListPart): Promise<void> {
    if (part.created === undefined || this.failure !== undefined) return
    try {
      if (part.created.first !== this.parts.at(-1)?.created?.last) await this.endChunk()
      this.parts.push(part)
    } catch (error) {
      this.failure = error
      // Frees its space at once. If removal fails, the draft is removed later, with other old drafts.
      await this.file.abandon().catch(() => {})
    }
  }

  /** @throws ListTooLong, or an error of the system. */
  async finish(): Promise<void> {
    if (this.failure !== undefined) throw this.failure
    await this.endChunk()
    const chunks = this.ended.flatMap(({ first, last, block }, i) =>
      block ? [{ from: first, to: this.ended[i + 1]?.first ?? last + 1, ...block }] : [],
    )
    await this.file.finish({ ...this.madeFrom, chunks })
  }

  abandon(): Promise<void> {
    return this.file.abandon()
  }

  private async endChunk(): Promise<void> {
    const { parts } = this
    const [first, last] = [parts[0]?.created?.first, parts.at(-1)?.created?.last]
    this.parts = []
    if (first === undefined || last === undefined) return
    const bytes = parts.reduce((sum, part) => sum + part.bytes.length, 0)
    const isLeftOut = !parts.every(isDigested) || bytes > CHUNK_BYTES_MAX
    const block = isLeftOut ? undefined : { parts: entriesOf(parts), place: await this.file.add(parts) }
    this.ended.push({ first, last, block })
    if (this.bytes > this.bytesMax) throw new ListTooLong(`the file is longer than ${this.bytesMax} bytes`)
  }
}

function isDigested(part: ListPart): part is KeptPart {
  return part.created !== undefined && part.digest !== undefined
}
