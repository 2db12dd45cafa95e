/** Closed-loop load on one server: a number of connections, each with one request in flight. */
import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import autocannon from 'autocannon'
import { cpuMs, type Measured } from './processes.ts'

export interface LoadRequest {
  readonly method: string
  /** Including `/v1`. */
  readonly path: string
  readonly body?: string
  /** Default: the secret of the load. */
  readonly secret?: string
}

export interface Load {
  readonly connections: number
  readonly secret: string
  /** Sent one after another, then from the start again. */
  readonly requests: readonly LoadRequest[]
}

export interface LoadResult {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** Answers other than 2xx, and requests without an answer. */
  readonly failures: number
  /** Processor time of the server for one answer, in microseconds. More reliable than the rate on a shared machine. */
  readonly cpuUs: number | undefined
}

/** `wrk` if it is installed: it takes a third of the processor time that `autocannon` takes away from the server. */
export const GENERATOR = isInstalled('wrk') ? 'wrk' : 'autocannon'

export async function applyLoad(server: Measured, load: Load, seconds: number): Promise<LoadResult> {
  const before = cpuMs(server.pid)
  const { answers, ...result } = await (GENERATOR === 'wrk' ? byWrk : byAutocannon)(server, load, seconds)
  const after = cpuMs(server.pid)
  const cpuUs = before === undefined || after === undefined ? undefined : ((after - before) * 1_000) / answers
  return { ...result, cpuUs }
}

type Raw = Omit<LoadResult, 'cpuUs'> & { readonly answers: number }

async function byWrk(
  { url, prefix }: Measured,
  { connections, secret, requests }: Load,
  seconds: number,
): Promise<Raw> {
  const directory = mkdtempSync(join(tmpdir(), 'latchkey-wrk-'))
  try {
    const list = join(directory, 'requests')
    writeFileSync(
      list,
      requests
        .map((each) => `${each.method}\t${each.path}\t${each.secret ?? secret}\t${each.body ?? ''}\n`)
        .join(''),
    )
    const script = join(import.meta.dirname, 'wrk.lua')
    const { stdout } = await promisify(execFile)('wrk', [
      ...['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '30s', '-s', script],
      ...[url, '--', list, `${prefix}Token`],
    ])
    const [answers = 0, us = 1, p50 = 0, p99 = 0, failures = 0] =
      /^RESULT (.*)$/m.exec(stdout)?.[1]?.split(' ').map(Number) ?? []
    return { perSecond: (answers * 1e6) / us, p50Ms: p50 / 1e3, p99Ms: p99 / 1e3, failures, answers }
  } finally {
    rmSync(directory, { recursive: true })
  }
}

async function byAutocannon(
  { url, prefix }: Measured,
  { connections, secret, requests }: Load,
  seconds: number,
): Promise<Raw> {
  // Every connection starts at a different position of the list; otherwise all would send the same request.
  let started = 0
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    timeout: 30,
    setupClient: (client) => {
      const at = Math.floor((started * requests.length) / connections)
      started += 1
      const own = [...requests.slice(at), ...requests.slice(0, at)]
      client.setRequests(
        own.map(({ method, path, body, secret: its = secret }) => {
          return { method, path, body, headers: { [`${prefix}Token`]: its } }
        }),
      )
    },
  })
  return {
    perSecond: result.requests.total / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    failures: result.non2xx + result.errors,
    answers: result.requests.total,
  }
}

function isInstalled(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
