/** An ordinary client beside an attack: how long its answers take, and what the server holds in memory. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ProbedRequest {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly body?: string
  readonly status: number
}

export interface Probed {
  /** The longest that an answer took, by request, in milliseconds. */
  readonly worstMs: Readonly<Record<string, number>>
  /** Answers that were not those that the requests ask for. */
  readonly wrong: Readonly<Record<string, number>>
  readonly answers: number
  readonly residentBytes: number
}

const PAUSE_MS = 20

/** Asks again and again, each request on a connection of its own and every tenth time on a new one, until the work is done. */
export async function probe(
  { port, pids }: { readonly port: number; readonly pids: readonly number[] },
  requests: Readonly<Record<string, ProbedRequest>>,
  work: Promise<unknown>,
): Promise<Probed> {
  const worstMs: Record<string, number> = {}
  const wrong: Record<string, number> = {}
  let answers = 0
  let residentBytes = 0
  let isOver = false
  const over = work.finally(() => {
    isOver = true
  })
  const ask = async ([name, asked]: [string, ProbedRequest]) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (!isOver) {
      const startedAt = performance.now()
      const status = await statusOf(port, asked, answers % 10 === 0 ? false : agent)
      answers += 1
      worstMs[name] = Math.max(worstMs[name] ?? 0, Math.round(performance.now() - startedAt))
      if (status !== asked.status) wrong[`${name} ${status}`] = (wrong[`${name} ${status}`] ?? 0) + 1
      residentBytes = Math.max(residentBytes, ...pids.map(residentBytesOf))
      await sleep(PAUSE_MS)
    }
    agent.destroy()
  }
  await Promise.all([over, ...Object.entries(requests).map(ask)])
  return { worstMs, wrong, answers, residentBytes }
}

function statusOf(
  port: number,
  { method, path, token, body }: ProbedRequest,
  agent: Agent | false,
): Promise<number> {
  return new Promise((resolve) => {
    const headers = token === undefined ? {} : { 'X-Service-Token': token }
    const sent = request({ port, host: '127.0.0.1', method, path, headers, agent })
    sent.on('response', (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0)).on('error', () => resolve(0))
      response.resume()
    })
    sent.on('error', () => resolve(0))
    sent.end(body)
  })
}

export function residentBytesOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1_024
}
