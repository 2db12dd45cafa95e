/** Pipelined requests: requests sent on a connection before the answers to earlier ones. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { invariant, limits } from '@latchkey/contract'
import { FairQueue } from '@latchkey/service'
import { readInSlices, type SlicedReading } from './sliced-reading.ts'

/** A request that waits for the answers before it. */
type Start = () => void

/** The requests of one connection. */
interface Line {
  /** The current answer, or the last one. */
  current: ServerResponse | undefined
  /** Whether a callback waits for the current answer to leave. */
  isFollowed: boolean
  readonly waiting: Start[]
  /** Undefined while Node reads the connection by itself. */
  reading: SlicedReading | undefined
}

/**
 * Starts the requests of a connection one at a time, each when the previous answer has left this process. A client that
 * does not read therefore has one answer in memory, however many requests it sends.
 *
 * Node parses everything that one read returns, up to 64 KiB, and creates objects for every request in it. That takes
 * milliseconds and megabytes per connection, and all connections may do it in the same turn of the event loop. So the
 * first connection with more than `PIPELINED_AHEAD_MAX` requests waiting switches all open connections to
 * {@link readInSlices}, and new ones start with it until that connection has caught up: one or two requests of each are
 * parsed at a time, `PIPELINED_STARTS_PER_TURN_MAX` of all start per turn, and the rest waits as bytes.
 *
 * Reading in slices costs 2.5 µs per request, a tenth of a fast one, so connections do not start with it.
 */
export class Pipelines {
  private readonly lines = new WeakMap<Socket, Line>()
  /** Connections that Node reads by itself. */
  private readonly unsliced = new Map<Socket, Line>()
  /** Connections with more waiting requests than allowed. */
  private readonly overlong = new Set<Line>()
  private readonly turns = new FairQueue(limits.PIPELINED_STARTS_PER_TURN_MAX)

  /** Adds a new connection of an HTTP server, after the server has. */
  open(socket: Socket): void {
    const line = { current: undefined, isFollowed: false, waiting: [], reading: undefined }
    this.lines.set(socket, line)
    if (this.overlong.size > 0) this.slice(line, socket)
    else this.unsliced.set(socket, line)
    socket.on('close', () => {
      this.unsliced.delete(socket)
      this.overlong.delete(line)
    })
  }

  /** Calls the listener with each request, at once or when its turn comes; never, if the connection ends first. */
  inOrder(listener: RequestListener): RequestListener {
    return (request, response) => this.enter(request, response, listener)
  }

  /** Whether Node reads the connection whole, not in slices. */
  isReadWhole(socket: Socket): boolean {
    return this.unsliced.has(socket)
  }

  /** Whether no request of the connection waits or is being answered, and Node reads it whole. */
  isIdle(socket: Socket): boolean {
    const line = this.unsliced.get(socket)
    return line !== undefined && !line.isFollowed && !isAnswering(line)
  }

  private enter(request: IncomingMessage, response: ServerResponse, listener: RequestListener): void {
    const { socket } = request
    if (!socket.writable) return
    const line = this.lines.get(socket)
    invariant(line, 'a request comes on an open connection')
    if (line.isFollowed || isAnswering(line)) {
      this.wait(line, socket, () => {
        line.current = response
        listener(request, response)
      })
      return
    }
    line.current = response
    if (line.reading) this.follow(line, socket)
    listener(request, response)
  }

  private wait(line: Line, socket: Socket, start: Start): void {
    line.waiting.push(start)
    if (!line.isFollowed) this.follow(line, socket)
    if (line.reading || line.waiting.length <= limits.PIPELINED_AHEAD_MAX) return
    this.overlong.add(line)
    for (const [other, its] of this.unsliced) this.slice(its, other)
    this.unsliced.clear()
  }

  private slice(line: Line, socket: Socket): void {
    if (socket.destroyed) return
    if (!line.isFollowed && isAnswering(line)) this.follow(line, socket)
    line.reading = readInSlices(socket, () => !line.isFollowed || isReceiving(line))
  }

  private follow(line: Line, socket: Socket): void {
    line.isFollowed = true
    line.current?.once('close', () => {
      // Answers made synchronously would otherwise follow one another within a turn.
      if (line.reading) this.turns.run(undefined, () => this.advance(line, socket))
      else this.advance(line, socket)
    })
  }

  private advance(line: Line, socket: Socket): void {
    line.isFollowed = false
    const { waiting } = line
    if (!socket.writable) {
      waiting.length = 0
      return
    }
    const start = waiting.shift()
    if (waiting.length <= limits.PIPELINED_AHEAD_MAX) this.overlong.delete(line)
    if (start === undefined) {
      line.reading?.resume()
      return
    }
    start()
    if (line.reading || waiting.length > 0) this.follow(line, socket)
    if (isReceiving(line)) line.reading?.resume()
  }
}

function isAnswering({ current }: Line): boolean {
  return current !== undefined && !current.writableFinished
}

/** Whether part of the current request is still to arrive. The bodies of waiting requests are not read ahead. */
function isReceiving({ current }: Line): boolean {
  return current?.req.complete === false
}
