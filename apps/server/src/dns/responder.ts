/** Converts the bytes of a question to the bytes of its answer. */
import { type DnsQuestion, type DnsReply, emptyReply } from '@latchkey/catalog'
import { roomOf, writeInto } from './fit-reply.ts'
import type { MayAnswer } from './limit-answers.ts'
import { writeStatus } from './message-writer.ts'
import { type Query, readQuery } from './query.ts'

export interface ResponderOptions {
  /** Answers a question with at most as many records as could fit. */
  readonly resolve: (question: DnsQuestion, recordsMax: number) => DnsReply | Promise<DnsReply>
  readonly mayAnswer: MayAnswer
  /** Whether clients may announce that they accept more over UDP. Since 0.8.5. */
  readonly hasEdns: boolean
  /** Called with every answered question, for metrics. */
  readonly onAnswer: (rcode: DnsReply['rcode'], transport: Transport) => void
  readonly onError: (error: unknown) => void
}

export type Transport = 'udp' | 'tcp'

/** Maximum questions that wait for the database or the rate limiter; further ones are not answered. */
const WAITING_MAX = 1_000

export class Responder {
  private readonly options: ResponderOptions
  private waiting = 0

  constructor(options: ResponderOptions) {
    this.options = options
  }

  /** Answers a message, usually at once; `undefined` if it is not a question or exceeds a limit. */
  respond(
    message: Buffer,
    transport: Transport,
    client: string,
  ): Buffer | undefined | Promise<Buffer | undefined> {
    if (this.waiting >= WAITING_MAX) return undefined
    const mayAnswer = this.options.mayAnswer(client)
    if (mayAnswer === false) return undefined
    if (mayAnswer === true) return this.answer(message, transport)
    return this.whileWaiting(async () => ((await mayAnswer) ? this.answer(message, transport) : undefined))
  }

  private answer(message: Buffer, transport: Transport): Buffer | undefined | Promise<Buffer> {
    const { hasEdns, resolve } = this.options
    const read = readQuery(message)
    if (read === undefined) return undefined
    if ('rcode' in read) {
      this.options.onAnswer(read.rcode, transport)
      return writeStatus(read)
    }
    const query = hasEdns ? read : { ...read, udpSize: undefined }
    const failed = (error: unknown) => {
      this.options.onError(error)
      return this.write(query, emptyReply('SERVFAIL', { isAuthoritative: false }), transport)
    }
    try {
      const reply = resolve(query.question, roomOf(query, transport).answers)
      if (!(reply instanceof Promise)) return this.write(query, reply, transport)
      return this.whileWaiting(() => reply.then((later) => this.write(query, later, transport)).catch(failed))
    } catch (error) {
      return failed(error)
    }
  }

  private async whileWaiting<T>(work: () => Promise<T>): Promise<T> {
    this.waiting += 1
    try {
      return await work()
    } finally {
      this.waiting -= 1
    }
  }

  private write(query: Query, reply: DnsReply, transport: Transport): Buffer {
    this.options.onAnswer(reply.rcode, transport)
    return writeInto(roomOf(query, transport), query, reply)
  }
}
