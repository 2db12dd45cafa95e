import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { invariant } from '@latchkey/contract'
import { FairQueue } from '@latchkey/service'
import { canOutliveClient } from '../api/client-signals.ts'
import type { HostGuard } from '../host-guard.ts'
import { type ConnectionReader, KEEP_ALIVE_MS } from '../listener/http-server.ts'
import { KnownHeads, type PlainRequest, type SplitRequest, splitRequest } from './known-heads.ts'
import { Repeat, type RepeatParts, type ShortReply, writeShort } from './repeat.ts'

interface RepeatsOptions extends RepeatParts {
  readonly guard: Pick<HostGuard, 'refusalOf'>
  /** Runs a task when its client's turn comes. */
  readonly schedule: (request: Repeat, task: () => void) => void
  /** Whether writes may be forwarded to the primary: they can then outlive their clients. */
  readonly forwardsWrites: boolean
  /** Writes the reply to a repeat with Node's messages. */
  readonly answer: (request: IncomingMessage, response: ServerResponse, repeat: Repeat) => void
}

interface Current {
  readonly repeat: Repeat
  readonly bytes: Buffer
  /** Idle timeout of the connection, to restore after the answer; undefined if the reply was available at once. */
  idleMs: number | undefined
  short: ShortReply | undefined
}

interface Line {
  readonly socket: Socket
  /** Node's own listener for the bytes of the connection. */
  readonly parse: (bytes: Buffer) => void
  readonly read: (bytes: Buffer) => void
  /** Whether the next byte begins a request. False if unknown. */
  isBetweenRequests: boolean
  /** Number of requests that begin in the bytes being parsed. */
  started: number
  /** The last response of Node. The first request has one, because Node limits the time for it. */
  response: ServerResponse | undefined
  current: Current | undefined
  /** A repeat whose bytes are being parsed; Node's messages will answer it. */
  handingOver: Repeat | undefined
}

/** Maximum answers written per turn. Each takes about 10 µs, and requests are read only between turns. */
const ANSWERS_PER_TURN_MAX = 256
const LONG_BYTES_MIN = 16_384

/**
 * Answers requests whose headers Node has parsed before ({@link KnownHeads}). Node's parser and its two objects per
 * request often take longer than the answer (`bench/README.md`). Node gets all other bytes unchanged: those that begin
 * in the middle of a request or contain several, long bodies, the first request of a connection or with new headers,
 * and requests that the guard refuses.
 *
 * Node also gets a request whose answer is long or a stream, and a request that is still being answered when the next
 * one arrives or the server drains. Its response then writes the service's reply, so the service runs each request once.
 *
 * Reading a connection here instead of in native code costs other requests 2.5 µs.
 */
export class Repeats implements ConnectionReader {
  private readonly options: RepeatsOptions
  private readonly heads = new KnownHeads()
  private readonly lines = new WeakMap<Socket, Line>()
  private readonly active = new Set<Line>()
  private readonly answers = new FairQueue(ANSWERS_PER_TURN_MAX)
  /** Repeats that Node's messages answer, by Node's request. */
  private readonly handedOver = new WeakMap<IncomingMessage, Repeat>()
  private isStopped = false

  constructor(options: RepeatsOptions) {
    this.options = options
  }

  /** Answers the requests that were handed over to Node, and calls the listener with all others. */
  inFrontOf(listener: RequestListener): RequestListener {
    return (request, response) => {
      const repeat = this.handedOver.get(request)
      if (!repeat) {
        listener(request, response)
        return
      }
      response.on('close', () => repeat.ended(response.writableFinished))
      this.options.answer(request, response, repeat)
    }
  }

  around(listener: RequestListener): RequestListener {
    return (request, response) => {
      this.note(request, response)
      listener(request, response)
    }
  }

  stop(): void {
    this.isStopped = true
    for (const line of this.active) this.handOver(line)
  }

  private note(request: IncomingMessage, response: ServerResponse): void {
    const line = this.lines.get(request.socket)
    if (!line) return
    line.started += 1
    line.response = response
    if (!line.handingOver) return
    this.handedOver.set(request, line.handingOver)
    line.handingOver = undefined
  }

  /** Listening to the bytes of a connection keeps Node from reading them in native code. */
  open(socket: Socket): void {
    const [parse, ...others] = socket.listeners('data')
    invariant(parse !== undefined && others.length === 0, 'Node listens to the data of a connection, alone')
    if (this.isStopped) return
    const line: Line = {
      socket,
      parse: parse as Line['parse'],
      read: (bytes) => this.read(bytes, line),
      isBetweenRequests: true,
      started: 0,
      response: undefined,
      current: undefined,
      handingOver: undefined,
    }
    this.lines.set(socket, line)
    socket.off('data', line.parse)
    socket.on('data', line.read)
    socket.on('close', () => {
      const repeat = this.take(line)?.repeat
      repeat?.leave()
    })
  }

  private read(bytes: Buffer, line: Line): void {
    // Answers keep the order of their requests.
    const isBehind = line.current !== undefined
    if (line.current?.short) this.write(line)
    else if (line.current) this.handOver(line)
    const split = splitRequest(bytes)
    if (split && !isBehind && this.mayBegin(line) && this.answer(split, bytes, line)) return
    this.leaveToNode(bytes, split, line)
  }

  /** Whether all earlier requests are answered, and their answers have left the process. */
  private mayBegin({ socket, isBetweenRequests, response, read }: Line): boolean {
    if (this.isStopped || !isBetweenRequests || !response?.writableFinished) return false
    if (!socket.writable || socket.writableLength > 0) return false
    // Otherwise, someone else decides how much of the connection is read.
    return socket.listeners('data')[0] === read
  }

  private answer(split: SplitRequest, bytes: Buffer, line: Line): boolean {
    const { socket } = line
    const plain = this.heads.find(split)
    const repeat = plain && this.begin(plain, socket)
    if (!repeat) return false
    const current: Current = { repeat, bytes, idleMs: undefined, short: undefined }
    line.current = current
    this.active.add(line)
    if (repeat.reply) {
      this.replied(line, current)
      return true
    }
    // As in Node, the idle timeout does not run while a request is answered.
    current.idleMs = socket.timeout ?? 0
    socket.setTimeout(0)
    repeat.onReply = () => this.replied(line, current)
    return true
  }

  begin(plain: PlainRequest, socket: Socket): Repeat | undefined {
    const { guard, forwardsWrites, schedule, signals } = this.options
    const repeat = new Repeat(plain, socket, this.options)
    if (guard.refusalOf(repeat)) return undefined
    if (canOutliveClient(plain, forwardsWrites)) repeat.abort = signals.begin()
    schedule(repeat, () => repeat.start())
    return repeat
  }

  private replied(line: Line, current: Current): void {
    // It was handed over to Node.
    if (line.current !== current) return
    restoreTimeout(line, current)
    current.short = current.repeat.short
    if (current.short) this.answers.run(undefined, () => this.write(line))
    else this.handOver(line)
  }

  private take(line: Line): Current | undefined {
    const { current } = line
    line.current = undefined
    this.active.delete(line)
    return current
  }

  /** Hands the request that is being answered over to Node's parser. */
  handOver(line: Line): void {
    const current = this.take(line)
    if (!current) return
    restoreTimeout(line, current)
    const { repeat, bytes } = current
    if (!line.socket.writable) {
      repeat.leave()
      return
    }
    line.handingOver = repeat
    this.leaveToNode(bytes, splitRequest(bytes), line)
    // Never happens, because Node has parsed these headers before; the client would get no answer.
    if (line.handingOver) line.socket.destroy()
  }

  private leaveToNode(bytes: Buffer, split: SplitRequest | undefined, line: Line): void {
    const isFromStart = line.isBetweenRequests
    line.started = 0
    Reflect.apply(line.parse, line.socket, [bytes])
    const { response } = line
    const isWhole = line.started === 1 && response?.req.complete === true && line.socket.writable
    line.isBetweenRequests = isWhole && this.heads.see(split, response.req, response, isFromStart)
    freeLong(bytes)
  }

  private write(line: Line): void {
    if (!line.current?.short) return
    const { repeat, short } = this.take(line) ?? {}
    repeat?.guard(() => {
      if (!short) return
      if (line.socket.writable) writeShort(short, line.socket, KEEP_ALIVE_MS)
      repeat.written(short)
    })
  }
}

function restoreTimeout({ socket }: Line, { idleMs }: Current): void {
  if (idleMs !== undefined) socket.setTimeout(idleMs)
}

/** Frees the memory of parsed bytes, which Node has copied: the garbage collector would run late. */
function freeLong({ buffer, length }: Buffer): void {
  // A slice shares its memory with others.
  if (length >= LONG_BYTES_MIN && length === buffer.byteLength && buffer instanceof ArrayBuffer)
    buffer.transfer(0)
}
