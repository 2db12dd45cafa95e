/** Closed-loop load on one server: a number of connections, each with one request in flight. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Measured } from './processes.ts'

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
  readonly p99Ms: number
  /** Answers other than 2xx, and requests without an answer. */
  readonly failures: number
  readonly answers: number
}

/** By `wrk` (Debian: `apt-get install wrk`), which takes little of the machine away from the server. */
export async function applyLoad(
  { url, prefix }: Measured,
  { connections, secret, requests }: Load,
  seconds: number,
): Promise<LoadResult> {
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
    const [answers = 0, us = 1, , p99 = 0, failures = 0] =
      /^RESULT (.*)$/m.exec(stdout)?.[1]?.split(' ').map(Number) ?? []
    return { perSecond: (answers * 1e6) / us, p99Ms: p99 / 1e3, failures, answers }
  } finally {
    rmSync(directory, { recursive: true })
  }
}
