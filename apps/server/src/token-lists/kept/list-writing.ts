/** Writes a list into a file while its parts are read, or afterwards. */
import { randomBytes } from 'node:crypto'
import type { TokenFilter } from '@latchkey/service'
import type { KeyRing } from '../../secrets/key-ring.ts'
import type { ListChunk } from '../../storage/read/lists/list-chunks.ts'
import type { ListPart } from '../token-list.ts'
import { type BlockPlace, entriesOf, type KeptPart, ListFileWriter, type PartEntry } from './list-file.ts'

/** See `PostgresStore.tokenChunks`. */
export type ReadChunks = (
  filter: TokenFilter,
  starts: readonly number[],
  seed: string,
) => Promise<ReadonlyMap<number, ListChunk>>

/** A chunk whose block is written. */
interface Written {
  readonly from: number
  /** The last create index in it. */
  readonly last: number
  readonly parts: readonly PartEntry[]
  readonly place: BlockPlace
}

/** What a finished list is compared with. */
interface Finish {
  readonly filter: TokenFilter
  /** The index of tokens before the first of them was read. */
  readonly tokensIndex: number
  readonly basis: string
  readonly readChunks: ReadChunks
}

const SEED_BYTES = 8

/** An error of the file, such as a full disk, ends the writing and not the list: {@link ListWriting.finish} throws it. */
export class ListWriting {
  private readonly file: ListFileWriter
  private readonly bytesMax: number
  private failure: unknown
  private readonly written: Written[] = []
  /** The parts of the next chunk: one ends where the next part begins with another create index. */
  private parts: KeptPart[] = []

  private constructor(file: ListFileWriter, bytesMax: number) {
    this.file = file
    this.bytesMax = bytesMax
  }

  /** @param options.bytesMax of the file. */
  static async start(
    path: string,
    { ring, bytesMax }: { readonly ring: KeyRing; readonly bytesMax: number },
  ): Promise<ListWriting> {
    return new ListWriting(await ListFileWriter.open(path, ring), bytesMax)
  }

  /** Bytes so far. */
  get bytes(): number {
    return this.file.bytes
  }

  async add(part: ListPart): Promise<void> {
    if (!hasTokens(part) || this.failure !== undefined) return
    try {
      if (part.created.first !== this.parts.at(-1)?.created.last) await this.endChunk()
      this.parts.push(part)
    } catch (error) {
      this.failure = error
    }
  }

  /**
   * Finishes the file with those chunks of which no token has changed since they were read: none was modified, and none
   * is missing.
   */
  async finish({ filter, tokensIndex, basis, readChunks }: Finish): Promise<void> {
    if (this.failure !== undefined) throw this.failure
    await this.endChunk()
    const { written } = this
    const last = written.at(-1)
    const starts = [...written.map(({ from }) => from), ...(last ? [last.last + 1] : [])]
    const seed = randomBytes(SEED_BYTES).readBigInt64BE().toString()
    const found = await readChunks(filter, starts, seed)
    const chunks = written.flatMap(({ from, parts, place }, i) => {
      const chunk = found.get(i + 1)
      const isSame = chunk?.tokens === tokensOf(parts) && chunk.modifyIndex <= tokensIndex
      return isSame ? [{ from, to: starts[i + 1] ?? from, digest: chunk.digest, place, parts }] : []
    })
    await this.file.finish({ basis, seed, chunks })
  }

  abandon(): Promise<void> {
    return this.file.abandon()
  }

  private async endChunk(): Promise<void> {
    const { parts } = this
    const [first, last] = [parts[0], parts.at(-1)]
    if (!first || !last) return
    this.parts = []
    const place = await this.file.add(parts)
    if (this.bytes > this.bytesMax) throw new RangeError(`it is longer than ${this.bytesMax} bytes`)
    this.written.push({ from: first.created.first, last: last.created.last, parts: entriesOf(parts), place })
  }
}

function hasTokens(part: ListPart): part is KeptPart {
  return part.created !== undefined
}

export function tokensOf(parts: readonly PartEntry[]): number {
  return parts.reduce((sum, { tokens }) => sum + tokens, 0)
}
