/**
 * A file of a token list. It contains secrets, so everything in it except the id of its key is sealed with the key
 * ring.
 *
 * Sealed blocks follow one another: one for each chunk, and then the index with their places. A line of fixed length at
 * the end contains the place of the index. Each block is bound to this file and to its place in it.
 */
import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { basename } from 'node:path'
import { BoundedMap, type ListPosition } from '@latchkey/service'
import type { KeyRing } from '../../secrets/key-ring.ts'
import type { ListPart } from '../token-list.ts'

/** A part that has tokens, and their digest. */
export type KeptPart = ListPart & {
  readonly created: NonNullable<ListPart['created']>
  readonly digest: bigint
}

/** The index entry of a part. Its fingerprints and its text are in the block of the chunk. */
export interface PartEntry extends Pick<KeptPart, 'end' | 'created' | 'leavesOutExpired' | 'hasNameless'> {
  /** As decimal text. */
  readonly digest: string
  readonly tokens: number
  readonly bytes: number
  /** `null` for Infinity. */
  readonly validUntil: number | null
}

/** Whole parts with all tokens of a range of create indexes. */
export interface ChunkEntry {
  /** The first create index. */
  readonly from: number
  /** The first create index after it. */
  readonly to: number
  /** The place of its block. */
  readonly place: BlockPlace
  readonly parts: readonly PartEntry[]
}

/** The place of a block in the file. */
export interface BlockPlace {
  readonly number: number
  readonly at: number
  readonly bytes: number
}

export interface ListIndex {
  /** What the texts depend on besides the tokens. */
  readonly basis: string
  /** When the list was made, in milliseconds since the epoch. Tokens that had expired by then were left out. */
  readonly at: number
  readonly chunks: readonly ChunkEntry[]
}

interface LastLine {
  readonly file: string
  readonly keyId: string
  readonly index: BlockPlace
}

const LAST_LINE_BYTES = 512
const INDEXES_MAX = 4
/** The minimum length of a read, in bytes: most blocks take a tenth of it. */
const WINDOW_BYTES = 524_288
const FINGERPRINT_BYTES = Uint32Array.BYTES_PER_ELEMENT

/** The file format. Files of another format cannot be opened. */
const FORM = 1

/** What a block is bound to: the list, whose key is the file name; the file; and the place in it. */
function contextOf(path: string, file: string, block: number): string {
  return `latchkey/token-list/${FORM}/${basename(path)}/${file}/${block}`
}

/** Writes a file under a temporary name, and renames it once it is complete. */
export class ListFileWriter {
  private readonly path: string
  private readonly draft: string
  private readonly ring: KeyRing
  private readonly file: FileHandle
  private readonly id: string
  private blocks = 0
  private length = 0

  private constructor(path: string, id: string, ring: KeyRing, file: FileHandle) {
    this.path = path
    this.id = id
    this.draft = draftOf(path, id)
    this.ring = ring
    this.file = file
  }

  static async open(path: string, ring: KeyRing): Promise<ListFileWriter> {
    const id = randomUUID()
    return new ListFileWriter(path, id, ring, await open(draftOf(path, id), 'wx', 0o600))
  }

  /** How many bytes have been written. */
  get bytes(): number {
    return this.length
  }

  /** Writes the parts of a chunk. @returns their place. */
  add(parts: readonly KeptPart[]): Promise<BlockPlace> {
    return this.write(
      Buffer.concat(parts.flatMap(({ fingerprints, bytes }) => [new Uint8Array(fingerprints.buffer), bytes])),
    )
  }

  async finish(index: ListIndex): Promise<void> {
    const place = await this.write(Buffer.from(JSON.stringify(index)))
    const line: LastLine = { file: this.id, keyId: this.ring.activeId, index: place }
    await this.file.writeFile(JSON.stringify(line).padEnd(LAST_LINE_BYTES))
    await this.file.close()
    await rename(this.draft, this.path)
  }

  async abandon(): Promise<void> {
    await this.file.close()
    await rm(this.draft, { force: true })
  }

  private async write(plain: Uint8Array): Promise<BlockPlace> {
    const number = this.blocks
    this.blocks += 1
    const { bytes } = this.ring.seal(plain, contextOf(this.path, this.id, number))
    const place = { number, at: this.length, bytes: bytes.length }
    this.length += bytes.length
    await this.file.writeFile(bytes)
    return place
  }
}

const DRAFT_MARK = '.draft-'

function draftOf(path: string, id: string): string {
  return `${path}${DRAFT_MARK}${id}`
}

/** The empty file with which a process claims a list while preparing it. It is treated as a draft. */
export function claimOf(path: string): string {
  return draftOf(path, 'claim')
}

export function isDraft(name: string): boolean {
  return name.includes(DRAFT_MARK)
}

export class ListFileReader {
  readonly index: ListIndex
  private readonly path: string
  private readonly file: FileHandle
  private readonly ring: KeyRing
  private readonly line: LastLine
  private window: { readonly at: number; readonly bytes: Uint8Array } | undefined
  private readonly ahead = new Map<ChunkEntry, readonly ListPart[]>()

  private constructor(
    path: string,
    { file, ring, line, index }: { file: FileHandle; ring: KeyRing; line: LastLine; index: ListIndex },
  ) {
    this.path = path
    this.file = file
    this.ring = ring
    this.line = line
    this.index = index
  }

  /** Whether the file was sealed by an older key. */
  get isOfOldKey(): boolean {
    return this.line.keyId !== this.ring.activeId
  }

  /**
   * @throws a system error if the file cannot be read; another error, such as SyntaxError or KeyRingError, if it is
   * damaged.
   */
  static async open(path: string, ring: KeyRing): Promise<ListFileReader> {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const end = Math.max(size - LAST_LINE_BYTES, 0)
      const line: LastLine = JSON.parse((await readBytes(file, end, LAST_LINE_BYTES)).toString())
      if (line.index.at + line.index.bytes !== end) throw new RangeError('its index is not at its end')
      return new ListFileReader(path, {
        file,
        ring,
        line,
        index: await readIndex(path, file, { ring, line }),
      })
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** The length of all texts, in bytes. */
  get textBytes(): number {
    return this.index.chunks.reduce(
      (sum, { parts }) => sum + parts.reduce((all, { bytes }) => all + bytes, 0),
      0,
    )
  }

  /** Reads all chunks up to the first damaged one, for {@link ListFileReader.read}. */
  async readAhead(): Promise<void> {
    for (const chunk of this.index.chunks) {
      const parts = await this.readNow(chunk).catch(() => undefined)
      if (!parts) return
      this.ahead.set(chunk, parts)
    }
  }

  /** @throws KeyRingError if its block was changed. */
  async read(chunk: ChunkEntry): Promise<readonly ListPart[]> {
    return this.ahead.get(chunk) ?? this.readNow(chunk)
  }

  private async readNow({ place, parts, to }: ChunkEntry): Promise<readonly ListPart[]> {
    const bytes = await this.bytesAt(place)
    const context = contextOf(this.path, this.line.file, place.number)
    const plain = this.ring.open({ keyId: this.line.keyId, bytes }, context)
    let at = 0
    const take = (length: number) => {
      at += length
      return plain.subarray(at - length, at)
    }
    return parts.map(({ tokens, bytes: length, validUntil, digest, ...entry }, i) => ({
      ...entry,
      digest: BigInt(digest),
      end: i === parts.length - 1 ? placeBefore(to) : entry.end,
      fingerprints: new Uint32Array(Uint8Array.from(take(tokens * FINGERPRINT_BYTES)).buffer),
      bytes: take(length),
      validUntil: validUntil ?? Number.POSITIVE_INFINITY,
    }))
  }

  close(): Promise<void> {
    return this.file.close()
  }

  /** Reads ahead, because chunks are read in order. */
  private async bytesAt({ at, bytes }: BlockPlace): Promise<Uint8Array> {
    if (!this.window || at < this.window.at || at + bytes > this.window.at + this.window.bytes.length) {
      this.window = { at, bytes: await readBytes(this.file, at, Math.max(bytes, WINDOW_BYTES)) }
    }
    const start = at - this.window.at
    return this.window.bytes.subarray(start, start + bytes)
  }
}

/** The last indexes that were read, by file: readers of a long list share them. */
const indexes = new BoundedMap<string, ListIndex>(INDEXES_MAX)

async function readIndex(
  path: string,
  file: FileHandle,
  { ring, line }: { readonly ring: KeyRing; readonly line: LastLine },
): Promise<ListIndex> {
  const known = indexes.get(line.file)
  if (known) return known
  const bytes = await readBytes(file, line.index.at, line.index.bytes)
  const plain = ring.open({ keyId: line.keyId, bytes }, contextOf(path, line.file, line.index.number))
  const index: ListIndex = JSON.parse(plain.toString())
  return indexes.set(line.file, index, 1)
}

async function readBytes(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(length), 0, length, at)
  return buffer.subarray(0, bytesRead)
}

/** The position before all tokens with a create index. */
export function placeBefore(createIndex: number): ListPosition {
  return { createIndex, accessorId: '', tie: '' }
}

/** The index entries of the parts of a chunk. */
export function entriesOf(parts: readonly KeptPart[]): readonly PartEntry[] {
  return parts.map(
    ({ end, created, digest, fingerprints, bytes, validUntil, leavesOutExpired, hasNameless }) => ({
      end,
      created,
      digest: String(digest),
      hasNameless,
      tokens: fingerprints.length,
      bytes: bytes.length,
      validUntil: Number.isFinite(validUntil) ? validUntil : null,
      leavesOutExpired,
    }),
  )
}
