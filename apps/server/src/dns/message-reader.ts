const LENGTH_BYTES = 2
/** Maximum length of a question over TCP. A question with every option takes less than half of it. */
const QUESTION_BYTES_MAX = 4_096

/** Splits the bytes of a TCP connection into messages, each preceded by its length. Buffers less than one message. */
export class MessageReader {
  private pending: Buffer = Buffer.alloc(0)

  /** @throws RangeError for a message that is longer than {@link QUESTION_BYTES_MAX}. */
  read(piece: Buffer): readonly Buffer[] {
    const messages: Buffer[] = []
    this.pending = this.pending.length === 0 ? piece : Buffer.concat([this.pending, piece])
    while (this.pending.length >= LENGTH_BYTES) {
      const length = this.pending.readUInt16BE(0)
      if (length > QUESTION_BYTES_MAX) throw new RangeError(`a question of ${length} bytes`)
      const end = LENGTH_BYTES + length
      if (this.pending.length < end) break
      messages.push(this.pending.subarray(LENGTH_BYTES, end))
      this.pending = this.pending.subarray(end)
    }
    return messages
  }
}
