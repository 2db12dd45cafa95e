import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { ShortReply } from './repeat.ts'

/**
 * Writes a reply on a keep-alive connection, with the same bytes as Node's `ServerResponse`.
 *
 * @param reply its headers must be valid: nothing would catch an error at the end of a turn.
 */
export function writeShort({ status, headers, body }: ShortReply, socket: Socket, keepAliveMs: number): void {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n`
  for (const name in headers) {
    head += `${name}: ${headers[name]}\r\n`
  }
  const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
  head += `Content-Length: ${length}\r\nDate: ${dateText()}\r\n`
  head += `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1_000)}\r\n\r\n`
  if (typeof body === 'string') {
    // If there are as many bytes as characters, both encodings are equal, and `latin1` is faster.
    socket.write(head + body, length === body.length ? 'latin1' : 'utf8')
    return
  }
  socket.cork()
  socket.write(head, 'latin1')
  socket.write(body)
  socket.uncork()
}

let second = 0
let text = ''

/** The current Date header, formatted once per second. */
function dateText(): string {
  const now = Math.floor(Date.now() / 1_000)
  if (now !== second) {
    second = now
    text = new Date(now * 1_000).toUTCString()
  }
  return text
}
