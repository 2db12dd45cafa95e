import { createHash } from 'node:crypto'
import { AclError } from '@latchkey/contract'
import { hashOf, LINE_BYTES_MAX } from './format.ts'

const NEWLINE = 10

export function damaged(problem: string, cause?: unknown): AclError {
  return new AclError('snapshot_invalid', `The archive is damaged: ${problem}`, { cause })
}

/** Reads lines and runs of bytes from pieces of any length. */
export class PieceReader {
  private readonly pieces: AsyncIterator<Uint8Array>
  private readonly hash = createHash('sha256')
  private held: Buffer = Buffer.alloc(0)
  private at = 0

  constructor(archive: AsyncIterable<Uint8Array>) {
    this.pieces = archive[Symbol.asyncIterator]()
  }

  wholeHash(): string {
    return this.hash.copy().digest('hex')
  }

  /** The JSON of a line whose hash matches, and where it begins. */
  async line(what: string): Promise<{ readonly json: string; readonly at: number }> {
    const { at } = this
    let end = this.held.indexOf(NEWLINE)
    while (end < 0) {
      const searched = this.held.length
      if (searched > LINE_BYTES_MAX) throw damaged(`${what} (byte ${at}) has no line end`)
      await this.hold(searched + 1, what)
      end = this.held.indexOf(NEWLINE, searched)
    }
    const text = this.take(end + 1).toString('utf8', 0, end)
    const json = text.slice(65)
    if (text[64] !== ' ' || hashOf(json) !== text.slice(0, 64))
      throw damaged(`${what} (byte ${at}) has a wrong checksum`)
    return { json, at }
  }

  async bytes(length: number, what: string): Promise<Buffer> {
    await this.hold(length, what)
    return this.take(length)
  }

  async requireEnd(): Promise<void> {
    while (this.held.length === 0) {
      const { done, value } = await this.pieces.next()
      if (done) return
      this.held = Buffer.from(value)
    }
    throw damaged(`something follows its last line (byte ${this.at})`)
  }

  /** Reads on until this many bytes are held. */
  private async hold(length: number, what: string): Promise<void> {
    const pieces: Uint8Array[] = [this.held]
    let missing = length - this.held.length
    while (missing > 0) {
      const { done, value } = await this.pieces.next()
      if (done) throw damaged(`it ends at byte ${this.at + length - missing}, within ${what}`)
      pieces.push(value)
      missing -= value.length
    }
    if (pieces.length > 1) this.held = Buffer.concat(pieces)
  }

  private take(length: number): Buffer {
    const taken = this.held.subarray(0, length)
    this.held = this.held.subarray(length)
    this.at += length
    this.hash.update(taken)
    return taken
  }
}
