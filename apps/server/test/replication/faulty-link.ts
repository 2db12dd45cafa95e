/** A TCP proxy between two datacenters that injects the faults of networks and middleboxes. */
import { connect, createServer, type Socket } from 'node:net'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'

/** A fault of exchanges. Without a fault, the link forwards everything. */
export type LinkFault =
  /** Connections are reset, as if no process listened. */
  | { readonly kind: 'refuse' }
  /** Connections are accepted but nothing is forwarded, as with a paused process. */
  | { readonly kind: 'hang' }
  /** Requests arrive, answers are lost. */
  | { readonly kind: 'loseAnswers' }
  /** Resets the connection after this many bytes of an answer. */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** Closes the connection cleanly after this many bytes of an answer. */
  | { readonly kind: 'truncate'; readonly afterBytes: number }
  /** Forwards everything, later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Gives this answer to each request, which is not forwarded. */
  | { readonly kind: 'replay'; readonly answer: Buffer }

/** A request line, and the forwarded part of its answer. */
export interface Exchange {
  readonly line: string
  readonly answer: Buffer[]
}

const REQUEST_LINE = /^[A-Z]+ \S+ HTTP\/1\.1\r\n/
/** Number of exchanges to keep for replays. */
const EXCHANGES_MAX = 50

/** One connection from one datacenter to the other. */
interface Passage {
  readonly inbound: Socket
  readonly outbound: Socket
  /** The exchange in progress. */
  exchange: Exchange
  answerBytes: number
  /** Bytes were dropped, so the connection is useless. */
  isLossy: boolean
}

export class FaultyLink {
  /** Accepted connections so far. */
  connections = 0
  /** Connections that a fault ended early so far. */
  ended = 0
  /** Requests that got a replayed answer so far. */
  replayed = 0
  private port = 0
  private target: string
  private fault: LinkFault | undefined
  private only: RegExp | undefined
  private readonly passages = new Set<Passage>()
  private readonly kept: Exchange[] = []
  private readonly server = createServer({ pauseOnConnect: true }, (inbound) => this.accept(inbound))

  private constructor(target: string) {
    this.target = target
  }

  /** @param target the URL that connections lead to. */
  static async open(target: string): Promise<FaultyLink> {
    const link = new FaultyLink(target)
    link.port = await listenOnFreePort(link.server)
    return link
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** Injects a fault until {@link heal}. @param only request lines to affect; absent: every connection. */
  cause(fault: LinkFault, only?: RegExp): void {
    this.fault = fault
    this.only = only
    if (fault.kind === 'refuse') this.cutAll()
  }

  /** Ends the fault. Connections that lost bytes are reset. */
  heal(): void {
    this.fault = undefined
    this.only = undefined
    for (const passage of this.passages) if (passage.isLossy) close(passage)
  }

  /** Forwards to another URL from now on. */
  repoint(target: string): void {
    this.target = target
    this.cutAll()
  }

  cutAll(): void {
    for (const passage of this.passages) close(passage)
  }

  /** The latest exchanges, oldest first. The last may be incomplete. */
  exchanges(line: RegExp): readonly Exchange[] {
    return this.kept.filter((exchange) => line.test(exchange.line))
  }

  async close(): Promise<void> {
    this.cutAll()
    await new Promise((resolve) => this.server.close(resolve))
  }

  private accept(inbound: Socket): void {
    this.connections += 1
    if (this.fault?.kind === 'refuse') {
      inbound.resetAndDestroy()
      return
    }
    const { hostname, port } = new URL(this.target)
    const outbound = connect(Number(port), hostname)
    const exchange = { line: '', answer: [] }
    const passage: Passage = { inbound, outbound, exchange, answerBytes: 0, isLossy: false }
    this.passages.add(passage)
    inbound.on('data', (chunk) => this.takeRequest(passage, chunk, this.begin(passage, chunk)))
    outbound.on('data', (chunk) => this.takeAnswer(passage, chunk))
    inbound.on('end', () => outbound.end())
    outbound.on('end', () => {
      if (!passage.isLossy) inbound.end()
    })
    inbound.on('close', () => {
      this.passages.delete(passage)
      outbound.destroy()
    })
    outbound.on('close', () => {
      if (!passage.isLossy) inbound.destroySoon()
    })
    // A close event follows.
    inbound.on('error', () => {})
    outbound.on('error', () => {})
    inbound.resume()
  }

  /** A connection may carry several exchanges in turn. @returns whether a new one begins. */
  private begin(passage: Passage, chunk: Buffer): boolean {
    const line = REQUEST_LINE.exec(chunk.toString('latin1'))?.[0].trim()
    if (line === undefined) return false
    passage.exchange = { line, answer: [] }
    passage.answerBytes = 0
    this.kept.push(passage.exchange)
    if (this.kept.length > EXCHANGES_MAX) this.kept.shift()
    return true
  }

  private faultOf(passage: Passage): LinkFault | undefined {
    return this.only === undefined || this.only.test(passage.exchange.line) ? this.fault : undefined
  }

  private takeRequest(passage: Passage, chunk: Buffer, isFirst: boolean): void {
    const fault = this.faultOf(passage)
    if (fault?.kind === 'hang') passage.isLossy = true
    else if (fault?.kind === 'replay') {
      if (!isFirst) return
      this.replayed += 1
      passage.inbound.write(fault.answer)
    } else if (fault?.kind === 'delay') setTimeout(() => passage.outbound.write(chunk), fault.ms)
    else passage.outbound.write(chunk)
  }

  private takeAnswer(passage: Passage, chunk: Buffer): void {
    const fault = this.faultOf(passage)
    if (fault?.kind === 'hang' || fault?.kind === 'loseAnswers') {
      passage.isLossy = true
      return
    }
    if (fault?.kind === 'cut' || fault?.kind === 'truncate') {
      const room = fault.afterBytes - passage.answerBytes
      passage.answerBytes += chunk.length
      if (chunk.length > room) this.endEarly(passage, chunk.subarray(0, Math.max(room, 0)), fault.kind)
      else passage.inbound.write(chunk)
      return
    }
    passage.exchange.answer.push(chunk)
    passage.inbound.write(chunk)
  }

  private endEarly(passage: Passage, last: Buffer, kind: 'cut' | 'truncate'): void {
    if (passage.isLossy) return
    passage.isLossy = true
    this.ended += 1
    passage.outbound.destroy()
    if (kind === 'truncate') passage.inbound.end(last)
    else passage.inbound.write(last, () => passage.inbound.resetAndDestroy())
  }
}

function close({ inbound, outbound }: Passage): void {
  inbound.resetAndDestroy()
  outbound.destroy()
}
