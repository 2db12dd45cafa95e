/** An ordinary client during an attack: measures the latency of its answers and the memory of the server. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ProbedRequest {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly body?: string
  readonly status: number
  /** Port of the server to probe, if it is not the one under attack. */
  readonly port?: number
}

export interface Probed {
  /** Maximum latency in milliseconds, by name of the request. */
  readonly worstMs: Readonly<Record<string, number>>
  /**
   * Maximum latency of an answer of the server under attack, in milliseconds, minus the time in which its main thread was
   * runnable but had no core. Close to `worstMs` if the server has a core to itself.
   */
  readonly ownMs: number
  /** Number of answers with an unexpected status, by name of the request and status. */
  readonly wrong: Readonly<Record<string, number>>
  readonly answers: number
  readonly residentBytes: number
}

const PAUSE_MS = 20

/**
 * Repeats the requests until the work is done. Each request keeps its own connection; one probe in ten opens a new
 * connection instead.
 */
export async function probe(
  { port, pids }: { readonly port: number; readonly pids: readonly number[] },
  requests: Readonly<Record<string, ProbedRequest>>,
  work: Promise<unknown>,
): Promise<Probed> {
  const [server = 0] = pids
  const worstMs: Record<string, number> = {}
  let ownMs = 0
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
      const waitedBefore = waitedMs(server)
      const status = await statusOf(asked.port ?? port, asked, answers % 10 === 0 ? false : agent)
      answers += 1
      const ms = Math.round(performance.now() - startedAt)
      worstMs[name] = Math.max(worstMs[name] ?? 0, ms)
      if (asked.port === undefined) ownMs = Math.max(ownMs, Math.round(ms - waitedMs(server) + waitedBefore))
      if (status !== asked.status) wrong[`${name} ${status}`] = (wrong[`${name} ${status}`] ?? 0) + 1
      residentBytes = Math.max(residentBytes, ...pids.map(residentBytesOf))
      await sleep(PAUSE_MS)
    }
    agent.destroy()
  }
  await Promise.all([over, ...Object.entries(requests).map(ask)])
  return { worstMs, ownMs, wrong, answers, residentBytes }
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

/** How long a process's main thread has been runnable without a core so far. */
function waitedMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1e6
}
