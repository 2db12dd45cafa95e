import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { invariant } from '@latchkey/contract'
import type { Pipelines } from '../listener/pipelining.ts'
import { KnownHeads } from './known-heads.ts'
import type { Repeat, ShortReply } from './repeat.ts'
import type { Repeats } from './repeats.ts'
import { writeShort } from './write-short.ts'

interface Started {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A repeat that is being answered, with its bytes. */
interface Current {
  readonly repeat: Repeat
  readonly bytes: Buffer
  /** Idle timeout of the connection, to restore after the answer; undefined if the reply was available at once. */
  idleMs: number | undefined
  /** Waits for the end of the turn. */
  short: ShortReply | undefined
}

interface Line {
  readonly socket: Socket
  /** Node's own listener for the bytes of the connection. */
  readonly parse: (bytes: Buffer) => void
  /** Whether the next byte begins a request. False if unknown. */
  isBetweenRequests: boolean
  /**
   * Whether Node has parsed a request of this connection. Node must parse the first one, because it limits the time for
   * it.
   */
  isKnownToNode: boolean
  /** Number of requests that begin in the bytes being parsed. */
  started: number
  latest: Started | undefined
  current: Current | undefined
  /** A repeat whose bytes are being parsed; Node's messages will answer it. */
  handingOver: Repeat | undefined
}

interface RepeatedRequestsOptions {
  readonly repeats: Pick<Repeats, 'begin' | 'handOver'>
  readonly pipelines: Pick<Pipelines, 'isIdle' | 'isReadWhole'>
  /** The Keep-Alive timeout announced in replies. */
  readonly keepAliveMs: number
}

/** Maximum answers written per turn. Each takes about 10 µs, and requests are read only between turns. */
const ANSWERS_PER_TURN_MAX = 256
const LONG_BYTES_MIN = 16_384

/**
 * Answers requests whose headers Node has parsed before ({@link KnownHeads}). Node's parser and its two objects per
 * request often take longer than the answer (`bench/README.md`). Node gets all other bytes unchanged: those that begin
 * in the middle of a request or contain several, long bodies, the first request of a connection or with new headers,
 * and requests that the door refuses.
 *
 * Node also gets a request whose answer is long or a stream, and a request that is still being answered when the next
 * one arrives or the server drains. Its response then writes the service's reply ({@link Repeats.handOver}), so the
 * service runs each request once.
 *
 * Reading a connection here instead of in native code costs other requests 2.5 µs.
 */
export class RepeatedRequests {
  private readonly options: RepeatedRequestsOptions
  private readonly heads = new KnownHeads()
  private readonly lines = new WeakMap<Socket, Line>()
  /** Connections whose repeats wait for their replies. */
  private readonly waiting = new Set<Line>()
  /** Connections whose answers wait for the end of the turn. */
  private ready: Line[] = []
  private isStopped = false

  constructor(options: RepeatedRequestsOptions) {
    this.options = options
  }

  /** Calls the listener with each request that Node has parsed. Must wrap the listeners of all request events. */
  around(listener: RequestListener): RequestListener {
    return (request, response) => {
      this.note({ request, response })
      listener(request, response)
    }
  }

  /** Leaves all requests to Node, including those that have begun. */
  stop(): void {
    this.isStopped = true
    for (const line of [...this.ready.splice(0), ...this.waiting]) this.handOver(line)
  }

  private note(started: Started): void {
    const { request } = started
    const line = this.lines.get(request.socket)
    if (!line) return
    line.isKnownToNode = true
    line.started += 1
    line.latest = started
    if (!line.handingOver) return
    this.options.repeats.handOver(line.handingOver, request)
    line.handingOver = undefined
  }

  /**
   * Adds a new connection of an HTTP server, after the server itself has. Listening to its bytes keeps Node from
   * reading them in native code.
   */
  open(socket: Socket): void {
    const [parse, ...others] = socket.listeners('data')
    invariant(parse !== undefined && others.length === 0, 'Node listens to the data of a connection, alone')
    if (this.isStopped || !this.options.pipelines.isReadWhole(socket)) return
    const line: Line = {
      socket,
      parse: parse as Line['parse'],
      isBetweenRequests: true,
      isKnownToNode: false,
      started: 0,
      latest: undefined,
      current: undefined,
      handingOver: undefined,
    }
    this.lines.set(socket, line)
    socket.off('data', line.parse)
    socket.on('data', (bytes: Buffer) => this.read(bytes, line))
    socket.on('close', () => this.close(line))
  }

  private close(line: Line): void {
    this.waiting.delete(line)
    line.current?.repeat.leave()
    line.current = undefined
  }

  private read(bytes: Buffer, line: Line): void {
    // Answers keep the order of their requests.
    if (line.current?.short) this.write(line)
    else if (line.current) this.handOver(line)
    else if (this.mayBegin(line) && this.begin(bytes, line)) return
    this.leaveToNode(bytes, line)
  }

  /** Whether all earlier requests are answered, and their answers have left the process. */
  private mayBegin({ socket, isBetweenRequests, isKnownToNode }: Line): boolean {
    if (this.isStopped || !isBetweenRequests || !isKnownToNode) return false
    return socket.writable && socket.writableLength === 0 && this.options.pipelines.isIdle(socket)
  }

  /** @returns false if the bytes are left to Node. */
  private begin(bytes: Buffer, line: Line): boolean {
    const { socket } = line
    const plain = this.heads.find(bytes)
    const repeat = plain && this.options.repeats.begin(plain, socket)
    if (!repeat) return false
    const current: Current = { repeat, bytes, idleMs: undefined, short: undefined }
    line.current = current
    if (repeat.reply) {
      this.take(line, current)
      return true
    }
    // As in Node, the idle timeout does not run while a request is answered.
    current.idleMs = socket.timeout ?? 0
    socket.setTimeout(0)
    this.waiting.add(line)
    repeat.onReply = () => this.take(line, current)
    return true
  }

  private take(line: Line, current: Current): void {
    // It was handed over to Node.
    if (line.current !== current) return
    this.endWait(line, current)
    current.short = current.repeat.short
    if (!current.short) this.handOver(line)
    else if (this.ready.push(line) === 1) setImmediate(() => this.flush(ANSWERS_PER_TURN_MAX))
  }

  private endWait(line: Line, { idleMs }: Current): void {
    if (idleMs === undefined) return
    this.waiting.delete(line)
    line.socket.setTimeout(idleMs)
  }

  /** Hands the request that is being answered over to Node's parser. */
  private handOver(line: Line): void {
    const { current } = line
    if (!current) return
    line.current = undefined
    this.endWait(line, current)
    const { repeat, bytes } = current
    if (!line.socket.writable) {
      repeat.leave()
      return
    }
    line.handingOver = repeat
    this.leaveToNode(bytes, line)
    // Never happens, because Node has parsed these headers before; the client would get no answer.
    if (line.handingOver) line.socket.destroy()
  }

  private leaveToNode(bytes: Buffer, line: Line): void {
    const isFromStart = line.isBetweenRequests
    const only = onlyRequestOf(bytes, line)
    const isWhole = only?.request.complete === true && line.socket.writable
    line.isBetweenRequests = isWhole && this.heads.see(bytes, only.request, only.response, isFromStart)
    freeLong(bytes)
  }

  private flush(count: number): void {
    for (const line of this.ready.splice(0, count)) this.write(line)
    if (this.ready.length > 0) setImmediate(() => this.flush(ANSWERS_PER_TURN_MAX))
  }

  private write(line: Line): void {
    const { current, socket } = line
    if (!current?.short) return
    const { repeat, short } = current
    line.current = undefined
    repeat.guard(() => {
      if (socket.writable) writeShort(short, socket, this.options.keepAliveMs)
      repeat.written(short)
    })
  }
}

/**
 * Frees the memory of parsed bytes; Node has copied the bodies. While long bodies arrive, little else is allocated, so
 * the garbage collector would run late.
 */
function freeLong({ buffer, length }: Buffer): void {
  // A slice shares its memory with others.
  if (length >= LONG_BYTES_MIN && length === buffer.byteLength && buffer instanceof ArrayBuffer)
    buffer.transfer(0)
}

/** Lets Node parse bytes. @returns the request in them; undefined if none or several begin in them. */
function onlyRequestOf(bytes: Buffer, line: Line): Started | undefined {
  line.started = 0
  Reflect.apply(line.parse, line.socket, [bytes])
  const only = line.started === 1 ? line.latest : undefined
  line.latest = undefined
  return only
}
