/** `pnpm bench`: this server, alone or in turn with another one of the same API, row by row. See {@link USAGE} and README.md. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { call } from './client.ts'
import { type Contender, startContender } from './contender.ts'
import { compete } from './contest.ts'
import { requireEmpty, startPeer } from './peer.ts'
import { type Measured, startServer } from './processes.ts'
import { printTable, type Result, verdict } from './report.ts'
import { Field, ROWS } from './rows.ts'

const USAGE = `Measures the server on this machine, alone or beside another server of the same API.

  pnpm bench [options]

  --only a,b        rows whose names begin so (default: all)
  --seconds 2       of one measurement
  --rounds 3        measurements of a row; the median counts
  --json FILE       where the figures go (default with all rows and --against: bench/result.json, which is kept)
  --cpu-prof DIR    let the server write a CPU profile there
  --against URL     compare with another server, an empty one, in turn (A B A B)
  --against-token S a management token of it (default LATCHKEY_AGAINST_TOKEN)
  --against-prefix P          family of its headers (default X-Service-)
  --against-start COMMAND     starts it in the foreground; without this, its processor time and memory are unknown
  --workers N       give this server N workers and, without --against, compare it with itself with one process

Exits with 1 if a row has no verdict, because other work disturbed it or requests failed, or if it is behind by more than the noise.

Rows: ${ROWS.map(({ name }) => name).join(', ')}
`

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '3' },
    json: { type: 'string' },
    'cpu-prof': { type: 'string' },
    against: { type: 'string' },
    'against-token': { type: 'string', default: process.env.LATCHKEY_AGAINST_TOKEN ?? '' },
    'against-prefix': { type: 'string', default: 'X-Service-' },
    'against-start': { type: 'string' },
    workers: { type: 'string', default: '1' },
    help: { type: 'boolean', short: 'h', default: false },
  },
})

interface Kept {
  readonly results: readonly Result[]
}

/** The result that the repository keeps, of a run with all rows beside another server. */
const KEPT = join(import.meta.dirname, 'result.json')

const results: Result[] = []

if (values.help) process.stdout.write(USAGE)
else await main()

async function main(): Promise<void> {
  const options = { seconds: whole('seconds'), rounds: whole('rounds') }
  const workers = whole('workers')
  const machine = `${cpus()[0]?.model}, ${availableParallelism()} cores, Node ${process.version}`
  say(machine)
  const before = existsSync(KEPT) ? (JSON.parse(readFileSync(KEPT, 'utf8')) as Kept).results : []
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const running: Contender[] = []
  const versions: string[] = []
  try {
    const ours = await startContender(() => startServer({ dataDir, profileDir: values['cpu-prof'], workers }))
    running.push(ours)
    const alone = { dataDir: join(dataDir, 'alone'), profileDir: undefined, workers: 1 }
    const theirs =
      workers > 1 && !values.against ? await startContender(() => startServer(alone)) : await startOther()
    if (theirs) running.push(theirs)
    for (const server of running) versions.push(await versionOf(server))
    await measureRows([ours, theirs], options)
  } finally {
    // Also after a row that failed: the rows before it took a while.
    const json = values.json ?? (values.only === '' && values.against && workers === 1 ? KEPT : undefined)
    const kept = { machine, date: new Date().toISOString().slice(0, 10), versions, ...options, results }
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(kept, undefined, 2)}\n`)
    process.stdout.write(`\n${printTable(results, before)}`)
    for (const server of running) await server.stop()
    rmSync(dataDir, { recursive: true })
  }
  if (results.some(({ contest }) => /^(?:none|behind)/.test(verdict(contest)))) process.exitCode = 1
}

async function versionOf(server: Contender): Promise<string> {
  const { text } = await call(server, 'GET', '/agent/self')
  return (JSON.parse(text) as { readonly Config: { readonly Version: string } }).Config.Version
}

async function startOther(): Promise<Contender | undefined> {
  const { against: url, 'against-token': secret, 'against-prefix': prefix, 'against-start': command } = values
  if (url === undefined) return undefined
  if (!/^https?:\/\//.test(url)) throw new TypeError(`--against must be a URL, not ${JSON.stringify(url)}`)
  if (secret === '') throw new TypeError('--against needs --against-token, a management token of that server')
  const peer = { url: url.replace(/\/+$/, ''), secret, prefix, command }
  const theirs = await startContender(() => startPeer(peer))
  await requireEmpty(theirs)
  return theirs
}

async function measureRows(
  [ours, theirs]: readonly [Contender, Contender | undefined],
  options: { readonly seconds: number; readonly rounds: number },
): Promise<void> {
  const fields = new Map<Measured, Field>()
  for (const server of theirs ? [ours, theirs] : [ours]) fields.set(server, new Field(server))
  const fieldOf = (server: Measured) => {
    const field = fields.get(server)
    if (!field) throw new TypeError('a server that does not compete')
    return field
  }
  const only = values.only.split(',').filter((part) => part !== '')
  for (const row of ROWS) {
    if (only.length > 0 && !only.some((part) => row.name.startsWith(part))) continue
    if (theirs && (row.isOwn || (row.needsProcess && theirs.pid === 0))) {
      say(`${row.name}: left out, as it needs ${row.isOwn ? 'to run alone' : '--against-start'}`)
      continue
    }
    say(row.name)
    for (const field of fields.values()) await row.prepare(field)
    const arrange = (server: Measured, round: number) => row.round(fieldOf(server), { ...options, round })
    const isHigherBetter = row.unit === 'per second'
    const contest = await compete([ours, theirs], arrange, { rounds: options.rounds, isHigherBetter })
    results.push({ row: row.name, unit: row.unit, goal: row.goal ?? 1, contest })
  }
}

function whole(name: 'seconds' | 'rounds' | 'workers'): number {
  const value = Number(values[name])
  if (!(Number.isInteger(value) && value > 0))
    throw new TypeError(`--${name} must be a whole number above 0, not ${JSON.stringify(values[name])}`)
  return value
}

/** Progress goes to standard error, because it is not a result. */
function say(text: string): void {
  process.stderr.write(`${text}\n`)
}
