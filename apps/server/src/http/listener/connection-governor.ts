import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { invariant, limits } from '@latchkey/contract'
import { FairQueue } from '@latchkey/service'
import { readInSlices, type SlicedReading } from './sliced-reading.ts'

interface Connection {
  readonly socket: Socket
  current: ServerResponse | undefined
  /** Whether a callback waits for the current answer to leave. */
  isFollowed: boolean
  readonly waiting: (() => void)[]
  /** Undefined while Node reads the connection by itself. */
  reading: SlicedReading | undefined
  /** Its timeout from before it was watched for a client that does not read. */
  unwatchedMs: number
}

const LOOKS_PER_BOUND = 4

/**
 * Governs what the connections of a server may keep in this process.
 *
 * Starts the requests of a connection one at a time, each when the previous answer has left this process. A client that
 * does not read therefore has one answer in memory, however many requests it pipelines.
 *
 * Node parses everything that one read returns, up to 64 KiB, and creates objects for every request in it. That takes
 * milliseconds and megabytes per connection, and all connections may do it in the same turn of the event loop. So the
 * first connection with more than `PIPELINED_AHEAD_MAX` requests waiting switches all open connections to
 * {@link readInSlices}, and new ones start with it until that connection has caught up: one or two requests of each are
 * parsed at a time, `PIPELINED_STARTS_PER_TURN_MAX` of all start per turn, and the rest waits as bytes. Reading in
 * slices costs 2.5 µs per request, a tenth of a fast one, so connections do not start with it.
 *
 * Closes connections whose clients do not read their answers: nothing of the pending output has been sent for the
 * bound. A blocking query has no output while it waits, so it is not affected.
 */
export class ConnectionGovernor {
  private readonly connections = new Map<Socket, Connection>()
  private readonly overlong = new Set<Connection>()
  private readonly turns = new FairQueue(limits.PIPELINED_STARTS_PER_TURN_MAX)
  private readonly looking: NodeJS.Timeout
  private isDraining = false

  constructor(stallMsMax: number = limits.READER_STALL_MS_MAX) {
    this.looking = setInterval(() => {
      for (const connection of this.connections.values()) watchReader(connection, stallMsMax)
    }, stallMsMax / LOOKS_PER_BOUND)
    this.looking.unref()
  }

  /** Adds a new connection of an HTTP server, after the server has. */
  open(socket: Socket): void {
    const connection: Connection = {
      socket,
      current: undefined,
      isFollowed: false,
      waiting: [],
      reading: undefined,
      unwatchedMs: 0,
    }
    this.connections.set(socket, connection)
    if (this.overlong.size > 0) slice(connection)
    socket.on('close', () => {
      this.connections.delete(socket)
      this.overlong.delete(connection)
    })
  }

  /** Calls the listener with each request, at once or when its turn comes; never, if the connection ends first. */
  inOrder(listener: RequestListener): RequestListener {
    return (request, response) => this.enter(request, response, listener)
  }

  /** From now on every answer closes its connection, as far as it has not begun. */
  drain(): void {
    this.isDraining = true
    for (const { current } of this.connections.values()) if (current) closeAfter(current)
  }

  stop(): void {
    clearInterval(this.looking)
  }

  private enter(request: IncomingMessage, response: ServerResponse, listener: RequestListener): void {
    const { socket } = request
    if (!socket.writable) return
    const connection = this.connections.get(socket)
    invariant(connection, 'a request comes on an open connection')
    const start = () => {
      connection.current = response
      if (this.isDraining) closeAfter(response)
      listener(request, response)
    }
    if (connection.isFollowed || isAnswering(connection)) {
      connection.waiting.push(start)
      if (!connection.isFollowed) this.follow(connection)
      if (!connection.reading && connection.waiting.length > limits.PIPELINED_AHEAD_MAX)
        this.sliceAll(connection)
      return
    }
    start()
    if (connection.reading) this.follow(connection)
  }

  private sliceAll(overlong: Connection): void {
    this.overlong.add(overlong)
    for (const connection of this.connections.values()) {
      if (connection.reading || connection.socket.destroyed) continue
      if (!connection.isFollowed && isAnswering(connection)) this.follow(connection)
      slice(connection)
    }
  }

  private follow(connection: Connection): void {
    connection.isFollowed = true
    connection.current?.once('close', () => {
      // Answers made synchronously would otherwise follow one another within a turn.
      if (connection.reading) this.turns.run(undefined, () => this.advance(connection))
      else this.advance(connection)
    })
  }

  private advance(connection: Connection): void {
    connection.isFollowed = false
    const { waiting, socket } = connection
    if (!socket.writable) {
      waiting.length = 0
      return
    }
    const start = waiting.shift()
    if (waiting.length <= limits.PIPELINED_AHEAD_MAX) this.overlong.delete(connection)
    if (start === undefined) {
      connection.reading?.resume()
      return
    }
    start()
    if (connection.reading || waiting.length > 0) this.follow(connection)
    if (isReceiving(connection)) connection.reading?.resume()
  }
}

function slice(connection: Connection): void {
  connection.reading = readInSlices(
    connection.socket,
    () => !connection.isFollowed || isReceiving(connection),
  )
}

/** Decided as late as possible, because a wait takes minutes. */
function closeAfter(response: ServerResponse): void {
  if (!response.headersSent) response.shouldKeepAlive = false
}

function isAnswering({ current }: Connection): boolean {
  return current !== undefined && !current.writableFinished
}

/** Whether part of the current request is still to arrive. The bodies of waiting requests are not read ahead. */
function isReceiving({ current }: Connection): boolean {
  return current?.req.complete === false
}

/**
 * Node's own socket timeout detects whether a large write makes progress. It is only set on sockets with pending
 * output, since it would end waits as well. When the output is read, the connection gets its previous timeout back.
 */
function watchReader(connection: Connection, stallMsMax: number): void {
  const { socket } = connection
  const isWatched = socket.timeout === stallMsMax
  if (socket.writableLength > 0 && !isWatched) {
    connection.unwatchedMs = socket.timeout ?? 0
    socket.setTimeout(stallMsMax)
  } else if (socket.writableLength === 0 && isWatched) socket.setTimeout(connection.unwatchedMs)
}
