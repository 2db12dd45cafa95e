import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { isOnFastLane } from '../fast-lane.ts'
import type { Pipelines } from '../listener/pipelining.ts'
import { KnownHeads } from './known-heads.ts'
import type { Repeat, RepeatAnswers } from './repeat-answers.ts'
import { writeShort } from './write-short.ts'

interface Started {
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** A connection that has sent a read. */
interface Line {
  readonly socket: Socket
  /** Node's own listener for the bytes of the connection. */
  readonly parse: (bytes: Buffer) => void
  /** Whether the next byte begins a request. False if unknown. */
  isBetweenRequests: boolean
  /** Requests of the bytes being parsed. */
  started: number
  latest: Started | undefined
  /** Waits for the end of the turn. */
  answer: Repeat | undefined
  /** How many reads are left to Node without a try, and how many were after the last vain one. */
  skips: number
  skipped: number
}

interface RepeatedReadsOptions {
  readonly answers: Pick<RepeatAnswers, 'answer'>
  readonly pipelines: Pick<Pipelines, 'isIdle' | 'isReadWhole'>
  /** What a reply says of its connection. */
  readonly keepAliveMs: number
}

/** A write takes some 10 µs; between so many, others are read. */
const ANSWERS_PER_TURN = 256
/** After vain tries, such as for long lists, only one read in so many is tried. */
const SKIPS_MAX = 64
const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Answers reads whose headers Node has parsed before ({@link KnownHeads}), if the service has their answers in memory.
 * Node's parser and its two objects per request would take more time than the answer (`bench/README.md`). Everything else
 * goes to Node, with the same bytes: what begins in the middle of a request or holds more than one, each first request
 * with its headers, writes, requests that are refused, and answers that are long or have to wait.
 *
 * Reading a connection here instead of in native code costs other requests 2.5 µs, so it begins with the first read.
 */
export class RepeatedReads {
  private readonly options: RepeatedReadsOptions
  private readonly heads = new KnownHeads()
  private readonly lines = new WeakMap<Socket, Line>()
  /** Connections whose answers wait for the end of the turn. */
  private ready: Line[] = []
  private isStopped = false

  constructor(options: RepeatedReadsOptions) {
    this.options = options
  }

  /** Calls the listener with each request that Node has parsed. Every event with a request needs it. */
  around(listener: RequestListener): RequestListener {
    return (request, response) => {
      this.note({ request, response })
      listener(request, response)
    }
  }

  /** Writes what is ready, and leaves all further requests to Node. */
  stop(): void {
    this.isStopped = true
    this.flush(this.ready.length)
  }

  private note(started: Started): void {
    const { request } = started
    const line = this.lines.get(request.socket)
    if (line) {
      line.started += 1
      line.latest = started
    } else if (!this.isStopped && isOnFastLane(request)) this.open(request.socket)
  }

  /** Node has begun to read the connection in native code, which ends when JavaScript listens to its bytes. */
  private open(socket: Socket): void {
    const [parse, ...others] = socket.listeners('data')
    if (parse === undefined || others.length > 0 || !this.options.pipelines.isReadWhole(socket)) return
    const line: Line = {
      socket,
      parse: parse as Line['parse'],
      isBetweenRequests: false,
      started: 0,
      latest: undefined,
      answer: undefined,
      skips: 0,
      skipped: 0,
    }
    this.lines.set(socket, line)
    socket.off('data', line.parse)
    socket.on('data', (bytes: Buffer) => this.read(bytes, line))
  }

  private read(bytes: Buffer, line: Line): void {
    const answer = this.mayAnswer(line) ? this.answerTo(bytes, line) : undefined
    if (!answer) {
      this.leaveToNode(bytes, line)
      return
    }
    line.answer = answer
    if (this.ready.push(line) === 1) setImmediate(() => this.flush(ANSWERS_PER_TURN))
  }

  /** Whether all earlier requests are answered, and their answers have left the process. */
  private mayAnswer({ socket, isBetweenRequests, answer }: Line): boolean {
    if (this.isStopped || !isBetweenRequests || answer !== undefined) return false
    return socket.writable && socket.writableLength === 0 && this.options.pipelines.isIdle(socket)
  }

  private answerTo(bytes: Buffer, line: Line): Repeat | undefined {
    if (line.skips > 0) {
      line.skips -= 1
      return undefined
    }
    const head = this.heads.find(bytes)
    if (!head) return undefined
    const answer = this.options.answers.answer(head, line.socket)
    line.skipped = answer ? 0 : Math.min(2 * line.skipped + 1, SKIPS_MAX)
    line.skips = line.skipped
    return answer
  }

  private leaveToNode(bytes: Buffer, line: Line): void {
    // Answers keep the order of their requests.
    this.write(line)
    const isFromStart = line.isBetweenRequests
    const only = onlyRequestOf(bytes, line)
    // The first empty line ends a head. If it is the last one, no other head is open behind that of the request.
    const isWhole = only?.request.complete === true && line.socket.writable
    line.isBetweenRequests = isWhole && bytes.indexOf(HEAD_END) === bytes.length - HEAD_END.length
    if (only && isFromStart && line.isBetweenRequests) this.heads.learn(bytes, only.request, only.response)
  }

  private flush(count: number): void {
    for (const line of this.ready.splice(0, count)) this.write(line)
    if (this.ready.length > 0) setImmediate(() => this.flush(ANSWERS_PER_TURN))
  }

  private write(line: Line): void {
    const { answer, socket } = line
    if (answer === undefined) return
    line.answer = undefined
    if (socket.writable) writeShort(answer.reply, socket, this.options.keepAliveMs)
    answer.written()
  }
}

/** Lets Node parse bytes. @returns the request that they hold; undefined if none or several begin in them. */
function onlyRequestOf(bytes: Buffer, line: Line): Started | undefined {
  line.started = 0
  Reflect.apply(line.parse, line.socket, [bytes])
  const only = line.started === 1 ? line.latest : undefined
  line.latest = undefined
  return only
}
