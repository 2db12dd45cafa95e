/** `pnpm bench --against`: this server and another one with the same API, alternating row by row. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BenchOptions } from '../options.ts'
import { type Measured, startServer } from '../processes.ts'
import { type Contender, startContender } from './contender.ts'
import { compete } from './contest.ts'
import { requireEmpty, startPeer } from './peer.ts'
import { page, printTable, type Result } from './report.ts'
import { Field, ROWS } from './rows.ts'

type Against = NonNullable<BenchOptions['against']>

/** Prints each row when it is done, and writes the page. @returns the text for standard output. */
export async function runAgainst(
  options: BenchOptions & { readonly against: Against },
  { machine, say }: { readonly machine: string; readonly say: (line: string) => void },
): Promise<string> {
  const { against } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const running: Contender[] = []
  try {
    const ours = await startContender(() => startServer({ ...options, dataDir }))
    running.push(ours)
    const theirs = await startContender(() => startPeer(against))
    running.push(theirs)
    await requireEmpty(theirs)
    const fields = new Map<Measured, Field>(running.map((server) => [server, new Field(server)]))
    const fieldOf = (server: Measured) => {
      const field = fields.get(server)
      if (!field) throw new TypeError('a server that does not compete')
      return field
    }
    const results: Result[] = []
    for (const row of ROWS.filter(({ name }) => isPicked(name, options.only))) {
      if (row.needsProcess && theirs.pid === 0) {
        say(`${row.name}: left out, as it needs --against-start`)
        continue
      }
      say(row.name)
      for (const server of running) await row.prepare(fieldOf(server))
      const arrange = (server: Measured, round: number) => row.round(fieldOf(server), { ...options, round })
      const isHigherBetter = row.unit === 'per second'
      const contest = await compete(ours, theirs, arrange, { rounds: options.rounds, isHigherBetter })
      results.push({ row: row.name, unit: row.unit, contest })
    }
    const about = { machine, ours: 'this server', theirs: against.url, ...options }
    writeFileSync(against.html, page(about, results))
    return printTable(results)
  } finally {
    for (const server of running) await server.stop()
    rmSync(dataDir, { recursive: true })
  }
}

function isPicked(name: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((part) => name.startsWith(part))
}
