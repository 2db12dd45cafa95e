/** A server of raw sockets that answers requests in ways that must not hold a client for ever. */
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

const OK = 'HTTP/1.1 200 OK\r\n'

/** Writes a part every few milliseconds until the client leaves. */
function drip(socket: Socket, part: string): void {
  const timer = setInterval(() => socket.write(part), 5)
  socket.once('close', () => clearInterval(timer))
}

/** What the server does once a request has arrived. No answer is ever complete and correct. */
export const HOSTILE_ANSWERS = {
  'switches protocols': (socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n')
  },
  'says 100 Continue 100,000 times': (socket) => {
    socket.write('HTTP/1.1 100 Continue\r\n\r\n'.repeat(100_000))
  },
  'says 103 Early Hints for ever': (socket) => drip(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'),
  'closes at once': (socket) => socket.end(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'closes within the head': (socket) => socket.end(`${OK}Content-Le`),
  'closes within the body': (socket) => socket.end(`${OK}Content-Length: 100\r\n\r\nhalf`),
  'is silent': () => {},
  'is silent within the head': (socket) => socket.write(`${OK}Content-`),
  'is silent within the body': (socket) => socket.write(`${OK}Content-Length: 100\r\n\r\nhalf`),
  'drips the head': (socket) => {
    socket.write(`${OK}X: `)
    drip(socket, 'x')
  },
  'drips the body': (socket) => {
    socket.write(`${OK}Content-Length: 1000000\r\n\r\n`)
    drip(socket, 'x')
  },
  'sends endless headers': (socket) => {
    socket.write(OK)
    drip(socket, `X-Header: ${'x'.repeat(1_000)}\r\n`)
  },
  'sends endless trailers': (socket) => {
    socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n0\r\n`)
    drip(socket, `X-Header: ${'x'.repeat(1_000)}\r\n`)
  },
  'sends an endless chunk extension': (socket) => {
    socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n1;`)
    drip(socket, 'x'.repeat(1_000))
  },
  'breaks the chunked encoding': (socket) => {
    socket.write(`${OK}Transfer-Encoding: chunked\r\n\r\n2\r\nokZZ\r\n`)
  },
  'does not speak HTTP': (socket) => {
    socket.write('220 mail.example ESMTP\r\n')
  },
} as const satisfies Readonly<Record<string, (socket: Socket) => void>>

/** Answers every request on a free port, also on connections that the client has half closed. */
export async function startHostileServer(
  answer: (socket: Socket) => void,
): Promise<{ readonly port: number; readonly open: ReadonlySet<Socket>; close(): void }> {
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.once('data', () => answer(socket))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    open,
    close: () => {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
