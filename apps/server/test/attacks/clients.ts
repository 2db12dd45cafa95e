/** Hostile clients: floods of whole requests, and connections held open. */
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Differs from the probe's address, so that the server counts their connections separately. */
const ATTACKER_ADDRESS = '127.0.0.3'

/** What an attack needs: its target, when to stop, and where to count answers. */
export interface Field {
  readonly port: number
  readonly isOver: () => boolean
  /** Number of answers by status; `cut` counts connections that ended without an answer. */
  readonly counts: Record<string, number>
}

export interface HostileRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

export interface FloodOptions {
  readonly connections: number
  readonly request: (i: number) => HostileRequest
  /** Aborts each request after this many milliseconds. */
  readonly abortAfterMs?: number
  /** Sends bodies in chunks, without a length. */
  readonly chunked?: boolean
}

/** Sends requests continuously, one at a time on each connection. */
export async function flood(field: Field, options: FloodOptions): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  let sent = 0
  const client = async () => {
    while (!field.isOver()) {
      sent += 1
      count(field, await send(field, options.request(sent), { ...options, agent }))
    }
  }
  await Promise.all(Array.from({ length: options.connections }, client))
  agent.destroy()
}

/** @returns the status of the answer, or how the request ended without one. */
function send(
  field: Field,
  { method = 'GET', path, headers = {}, body }: HostileRequest,
  { agent, chunked, abortAfterMs }: FloodOptions & { readonly agent: Agent },
): Promise<string> {
  const length = body === undefined || chunked ? {} : { 'Content-Length': Buffer.byteLength(body) }
  return new Promise((resolve) => {
    const sent = request({
      agent,
      port: field.port,
      host: '127.0.0.1',
      localAddress: ATTACKER_ADDRESS,
      method,
      path,
      headers: { ...headers, ...length },
    })
    const timer = abortAfterMs && setTimeout(() => sent.destroy(), abortAfterMs)
    const done = (outcome: string) => {
      if (timer) clearTimeout(timer)
      resolve(outcome)
    }
    sent.on('response', (response) => {
      response.on('end', () => done(String(response.statusCode))).on('error', () => done('cut'))
      response.resume()
    })
    sent.on('error', () => done(abortAfterMs ? 'aborted' : 'cut'))
    sent.on('close', () => done('cut'))
    if (chunked && body) sent.write(body)
    sent.end(chunked ? undefined : body)
  })
}

interface HoldOptions {
  readonly connections: number
  /** The first bytes of each connection. */
  readonly opening: (i: number) => string | Uint8Array
  /** Bytes that each connection sends every 500 ms after that. */
  readonly drip?: string
  /** Whether the client reads its answers. Default: false. */
  readonly reads?: boolean
}

/** Opens connections and holds them; reopens those that the server closes. */
export async function hold(field: Field, options: HoldOptions): Promise<void> {
  let opened = 0
  const client = async () => {
    while (!field.isOver()) {
      opened += 1
      const socket = connect({ port: field.port, host: '127.0.0.1', localAddress: ATTACKER_ADDRESS })
      await heldBy(field, socket, options, opened)
    }
  }
  await Promise.all(Array.from({ length: options.connections }, client))
}

async function heldBy(field: Field, socket: Socket, { opening, drip, reads }: HoldOptions, i: number) {
  let isClosed = false
  let isAnswered = false
  socket
    .on('error', () => {})
    .on('close', () => {
      isClosed = true
    })
  if (reads) {
    socket.on('data', (bytes) => {
      if (!isAnswered) count(field, statusOf(bytes.toString('latin1', 0, 64)))
      isAnswered = true
    })
  } else socket.pause()
  await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
  count(field, 'held')
  socket.write(opening(i))
  for (let ms = 0; !isClosed && !field.isOver(); ms += 50) {
    await sleep(50)
    if (drip && ms % 500 === 450 && !isClosed) socket.write(drip)
  }
  socket.destroy()
}

function statusOf(head: string): string {
  return /^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 'cut'
}

function count({ counts }: Field, outcome: string): void {
  counts[outcome] = (counts[outcome] ?? 0) + 1
}

/** A request as bytes, for held connections. */
export function bytesOf({ method = 'GET', path, headers = {}, body = '' }: HostileRequest, length?: number) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const announced = length ?? Buffer.byteLength(body)
  const lengthLine = announced > 0 ? `Content-Length: ${announced}\r\n` : ''
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}${lengthLine}\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}
