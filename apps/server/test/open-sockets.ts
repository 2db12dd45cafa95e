import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach } from 'vitest'

/** Opens sockets to a local port and destroys them after each test. Call it where hooks are declared. */
export function socketsOfTest(): (port: number) => Promise<Socket> {
  const sockets: Socket[] = []
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
  })
  return async (port) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    return socket
  }
}

/** Sends a request, and reads the beginning of the answer, or until the connection closes. */
export async function askSocket(socket: Socket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  const [data] = await Promise.race([once(socket, 'data'), once(socket, 'close')])
  return String(data)
}
