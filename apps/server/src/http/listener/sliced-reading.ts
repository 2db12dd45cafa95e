import type { Socket } from 'node:net'
import { getDefaultHighWaterMark } from 'node:stream'
import { invariant } from '@latchkey/contract'

/** A slice ends where the head of a request may end, so each contains one or two requests. */
const END_OF_HEAD = '\r\n\r\n'
const SLICE_BYTES_MIN = 64
const SLICE_BYTES_MAX = 4_096

/** Fills the buffer of a paused socket up to its high-water mark, up to which Node would keep reading. */
const PLUG = Buffer.alloc(getDefaultHighWaterMark(false))

export interface SlicedReading {
  resume(): void
}

/**
 * Inserts itself between a connection and Node's HTTP parser, which otherwise parses up to 64 KiB at once. Bytes that
 * may not be parsed yet stay in the socket's buffer; TCP backpressure holds back the rest.
 *
 * Node reads a connection in native code until JavaScript listens to its "data" event, and then passes the data to its
 * own listener for that event. This function replaces that listener; the switch cannot be undone.
 *
 * @param mayParse whether the next slice may be parsed; called before each.
 */
export function readInSlices(socket: Socket, mayParse: () => boolean): SlicedReading {
  const [parse, ...others] = socket.listeners('data')
  invariant(parse !== undefined && others.length === 0, 'Node listens to the data of a connection, alone')
  let isHeld = false
  const hold = (bytes: Buffer) => {
    // Node also pauses a socket, for an unread body or answer, and resumes it by itself.
    isHeld ||= !socket.isPaused()
    socket.pause()
    socket.unshift(bytes)
  }
  const onData = (bytes: Buffer) => {
    const isPlug = bytes.buffer === PLUG.buffer
    if (isPlug && mayParse()) return
    let at = 0
    while (!isPlug && at < bytes.length && socket.writable && !socket.isPaused() && mayParse()) {
      const end = endOfSlice(bytes, at)
      Reflect.apply(parse, socket, [bytes.subarray(at, end)])
      at = end
    }
    // After the last answer of a connection nothing is parsed.
    if (!socket.writable) return
    if (!isPlug && at < bytes.length) hold(bytes.subarray(at))
    if (isPlug || socket.isPaused()) hold(PLUG)
  }
  socket.off('data', parse as () => void)
  socket.on('data', onData)
  return {
    resume: () => {
      if (!isHeld) return
      isHeld = false
      socket.resume()
    },
  }
}

function endOfSlice(bytes: Buffer, at: number): number {
  const longest = Math.min(at + SLICE_BYTES_MAX, bytes.length)
  const head = bytes.subarray(at + SLICE_BYTES_MIN - END_OF_HEAD.length, longest).indexOf(END_OF_HEAD)
  return head === -1 ? longest : at + SLICE_BYTES_MIN + head
}
