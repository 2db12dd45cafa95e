import { connect, type Socket } from 'node:net'

/** Bytes to send, or milliseconds to wait before the next. */
export type Piece = string | Uint8Array | number

interface RawAnswer {
  /** Status codes of the answers, in order. */
  readonly statuses: readonly number[]
  /** Everything received, as Latin-1. */
  readonly text: string
  /** Whether the server ended the connection. */
  readonly closed: boolean
  /** Milliseconds until it did, or until the wait ended. */
  readonly ms: number
}

export interface RawOptions {
  /** How long the server may take to close the connection. Default 30 s; if the answer leaves it open, the exchange takes that long. */
  readonly waitMs?: number
  /** Ends the exchange after this many answers. */
  readonly answers?: number
}

/** Sends raw bytes, and reads the answers. */
export function exchange(
  port: number,
  pieces: readonly Piece[],
  { waitMs = 30_000, answers }: RawOptions = {},
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const startedAt = performance.now()
    const socket = connect(port, '127.0.0.1')
    let text = ''
    const finish = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ statuses: statusesOf(text), text, closed, ms: performance.now() - startedAt })
    }
    const timer = setTimeout(() => finish(false), waitMs)
    socket.on('data', (data) => {
      text += data.toString('latin1')
      if (answers !== undefined && statusesOf(text).length >= answers) finish(false)
    })
    socket.on('end', () => finish(true))
    socket.on('close', () => finish(true))
    // A reset also ends the connection.
    socket.on('error', () => {})
    void send(socket, pieces)
  })
}

async function send(socket: Socket, pieces: readonly Piece[]): Promise<void> {
  for (const piece of pieces) {
    if (typeof piece === 'number') await new Promise((resolve) => setTimeout(resolve, piece))
    else if (!socket.destroyed) socket.write(piece)
  }
}

function statusesOf(text: string): readonly number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
}

/** A connection for several requests. */
export async function openConnection(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once('connect', resolve))
  return socket
}
