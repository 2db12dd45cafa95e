import { writeSync } from 'node:fs'

/** Flush threshold in characters: a write wakes a thread, which costs more than a line. */
const PIECE_LENGTH = 65_536
/** Maximum delay of a line on a quiet server, in milliseconds. */
const FLUSH_INTERVAL_MS = 200

/** Receives the pieces, in order, without blocking. */
interface PieceStream {
  write(piece: string): unknown
  flush?(done: (error?: Error) => void): void
}

/**
 * Collects log lines and passes them on in large pieces. A stream that grows its own pieces copies them with every
 * line.
 */
export class LineBuffer {
  private readonly stream: PieceStream
  private lines = ''

  /** @param fd the stream's file descriptor: lines left when the process ends are written to it synchronously. */
  constructor(stream: PieceStream, fd: number) {
    this.stream = stream
    setInterval(() => this.handOn(), FLUSH_INTERVAL_MS).unref()
    process.on('exit', () => this.writeRest(fd))
  }

  /** @param line including its line end. */
  write(line: string): void {
    this.lines += line
    if (this.lines.length >= PIECE_LENGTH) this.handOn()
  }

  /** For pino: calls back once everything has been passed on. */
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
      // The reader is gone, and there is no other place to report it.
    }
  }
}
