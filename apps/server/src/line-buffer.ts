import { writeSync } from 'node:fs'

/** Collected until this many characters wait: a write costs a thread its sleep, which is more than a line. */
const PIECE_LENGTH = 65_536
/** What a quiet server has to say does not wait longer, in milliseconds. */
const FLUSH_INTERVAL_MS = 200

/** What takes the pieces, in order and without blocking. */
export interface PieceStream {
  write(piece: string): unknown
  flush?(done: (error?: Error) => void): void
}

/**
 * Collects log lines and hands them on in large pieces. Its own, as a stream that grows its pieces itself reads each of
 * them anew with every line.
 */
export class LineBuffer {
  private readonly stream: PieceStream
  private lines = ''

  /** @param fd where the stream leads: what is left when the process ends is written there at once. */
  constructor(stream: PieceStream, fd: number) {
    this.stream = stream
    setInterval(() => this.handOn(), FLUSH_INTERVAL_MS).unref()
    process.on('exit', () => this.writeRest(fd))
  }

  /** @param line with its line end. */
  write(line: string): void {
    this.lines += line
    if (this.lines.length >= PIECE_LENGTH) this.handOn()
  }

  /** For pino: done once everything is handed on, and on its way. */
  flush(done: (error?: Error) => void): void {
    this.handOn()
    if (this.stream.flush) this.stream.flush(done)
    else done()
  }

  private handOn(): void {
    if (this.lines === '') return
    const piece = this.lines
    this.lines = ''
    this.stream.write(piece)
  }

  private writeRest(fd: number): void {
    try {
      writeSync(fd, this.lines)
      this.lines = ''
    } catch {
      // Nobody reads any more, and there is nobody left to tell.
    }
  }
}
