/** Clients that mean harm: floods of whole requests, and connections that are held. */
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Another address than that of the probe, whose connections are counted apart. */
export const ATTACKER_ADDRESS = '127.0.0.3'

/** Where an attack goes, and until when. */
export interface Field {
  readonly port: number
  readonly isOver: () => boolean
  /** Answers by status; `cut` where a connection ended without one. */
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
  /** Breaks each request off after so many milliseconds. */
  readonly abortAfterMs?: number
  /** Sends bodies in chunks, without their length. */
  readonly chunked?: boolean
}

/** Sends requests over and over, one at a time on each connection. */
export async function flood(field: Field, options: FloodOptions): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  let sent = 0
  const client = async () => {
    while (!field.isOver()) {
      sent += 1
      count(field, await send(field, agent, options.request(sent), options))
    }
  }
  await Promise.all(Array.from({ length: options.connections }, client))
  agent.destroy()
}

function send(field: Field, agent: Agent, asked: HostileRequest, options: FloodOptions): Promise<string> {
  const { method = 'GET', path, headers = {}, body } = asked
  const length = body === undefined || options.chunked ? {} : { 'Content-Length': Buffer.byteLength(body) }
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
    const timer = options.abortAfterMs && setTimeout(() => sent.destroy(), options.abortAfterMs)
    const done = (outcome: string) => {
      if (timer) clearTimeout(timer)
      resolve(outcome)
    }
    sent.on('response', (response) => {
      response.on('end', () => done(String(response.statusCode))).on('error', () => done('cut'))
      response.resume()
    })
    sent.on('error', () => done(options.abortAfterMs ? 'aborted' : 'cut'))
    sent.on('close', () => done('cut'))
    if (options.chunked && body) sent.write(body)
    sent.end(options.chunked ? undefined : body)
  })
}

export interface HoldOptions {
  readonly connections: number
  /** What each connection sends at first. */
  readonly opening: (i: number) => string | Uint8Array
  /** What it sends every 500 ms after that. */
  readonly drip?: string
  /** Whether it reads what it is answered. Default: nothing. */
  readonly reads?: boolean
}

/** Opens connections and holds them; those that are closed are opened again. */
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

/** A request as bytes, for connections that are held. */
export function bytesOf({ method = 'GET', path, headers = {}, body = '' }: HostileRequest, length?: number) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const announced = length ?? Buffer.byteLength(body)
  const lengthLine = announced > 0 ? `Content-Length: ${announced}\r\n` : ''
  const head = `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${lines.join('')}${lengthLine}\r\n`
  return Buffer.concat([Buffer.from(head), Buffer.from(body)])
}
