/** DNS over TCP. RFC 7766. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { FairQueue, type Turns } from '@latchkey/service'
import { connectionSlots } from '../http/listener/connection-limit.ts'
import type { Responder } from './responder.ts'

/** Maximum connections at a time; further ones are closed at once. */
const CONNECTIONS_MAX = 256
/** Maximum connections of one client at a time. */
export const CONNECTIONS_PER_CLIENT_MAX = 64
/** Maximum time from the last answer, or from the start, until a complete question has arrived. */
const IDLE_MS = 10_000

export interface TcpServer {
  readonly server: Server
  /** Ends all connections. */
  close(): Promise<void>
}

export function createTcpServer(responder: Responder, idleMs: number = IDLE_MS): TcpServer {
  const open = new Set<Socket>()
  const slots = connectionSlots(CONNECTIONS_PER_CLIENT_MAX)
  // A long answer takes some ten milliseconds, and one read of a connection may return a hundred questions.
  const turns = new FairQueue()
  // A client may end its side as soon as it has sent its question.
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    const client = socket.remoteAddress ?? ''
    const release = slots.take(client)
    if (!release) {
      socket.destroy()
      return
    }
    open.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      open.delete(socket)
      release()
    })
    void answerAll(socket, { responder, turns, client, idleMs })
  })
  server.maxConnections = CONNECTIONS_MAX
  return {
    server,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of open) socket.destroy()
      await closed
    },
  }
}

/** Answers the questions of a connection one after another, and reads no further while an answer is unread. */
async function answerAll(
  socket: Socket,
  {
    responder,
    turns,
    client,
    idleMs,
  }: { responder: Responder; turns: Turns; client: string; idleMs: number },
): Promise<void> {
  // Occasional bytes do not keep the connection open; only a complete question does.
  const idle = setTimeout(() => socket.destroy(), idleMs)
  const reader = new MessageReader()
  try {
    for await (const piece of socket) {
      for (const message of reader.read(piece as Buffer)) {
        await turns.next()
        const answer = await responder.respond(message, 'tcp', client)
        if (answer === undefined) return
        idle.refresh()
        if (!socket.write(withLength(answer))) await once(socket, 'drain')
      }
    }
    await new Promise<void>((resolve) => socket.end(resolve))
  } catch {
    // The client has left, or sent something that is not a question.
  } finally {
    clearTimeout(idle)
    socket.destroy()
  }
}

function withLength(answer: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(answer.length)
  return Buffer.concat([length, answer])
}

const LENGTH_BYTES = 2
/** Maximum length of a question over TCP. A question with every option takes less than half of it. */
const QUESTION_BYTES_MAX = 4_096

/** Splits the bytes of a TCP connection into messages, each preceded by its length. Buffers less than one message. */
class MessageReader {
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
