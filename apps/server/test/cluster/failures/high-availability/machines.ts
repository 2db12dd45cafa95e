/**
 * Three database machines set up as in docs/operations.md (etcd, Patroni and PostgreSQL on each), and the load balancer that
 * leads to the primary, all on this machine, with the configurations from the page.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@latchkey/testkit/process/ports'
import { findBalancer } from '../../harness/balancer.ts'
import { childrenOf } from '../../harness/child-processes.ts'

const PAGE = join(import.meta.dirname, '../../../../../../docs/operations.md')
const POSTGRES_FOLDER = '/usr/lib/postgresql'
const PROGRAMS = ['/usr/bin/etcd', '/usr/bin/patroni'] as const
const PLACES = [0, 1, 2] as const
/** Names and addresses of the machines on the page. */
const PAGE_NAMES = ['db1', 'db2', 'db3'] as const
const PAGE_HOSTS = ['10.0.0.11', '10.0.0.12', '10.0.0.13'] as const
const START_MS_MAX = 120_000

interface DatabaseMachines {
  /** The address that servers know, as a URL. */
  readonly url: string
  /** The index of the machine with the primary PostgreSQL; undefined while there is none. */
  primary(): Promise<number | undefined>
  /** Waits until both standbys follow and one is known as synchronous, because only a synchronous one may take over. */
  untilWhole(): Promise<void>
  /** Kills everything on a machine at once except its etcd member, like a power cut. */
  kill(place: number): Promise<void>
  /** Starts what {@link kill} ended. */
  restart(place: number): void
  /** Pauses all processes of a machine, as if its network were cut. @returns a function that resumes them. */
  freeze(place: number): () => void
  /** Stops everything, and removes the files. */
  remove(): Promise<void>
}

/** What this machine lacks; undefined if nothing. */
export function whyNoMachines(): string | undefined {
  const missing = [
    ...PROGRAMS.filter((path) => !existsSync(path)),
    ...(findBalancer() === undefined ? ['haproxy'] : []),
    ...(postgresFolder() === undefined ? [POSTGRES_FOLDER] : []),
  ]
  if (missing.length === 0) return undefined
  return `there is no ${missing.join(', ')}; install them: apt-get install etcd-server patroni haproxy postgresql`
}

interface Ports {
  readonly postgres: number
  readonly rest: number
  readonly etcd: number
  readonly peer: number
}

export async function startDatabaseMachines(): Promise<DatabaseMachines> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-machines-'))
  const account = databaseAccount()
  own(folder, account)
  const free = await freePorts(4 * PLACES.length + 1)
  const ports = PLACES.map((place): Ports => {
    const [postgres = 0, rest = 0, etcd = 0, peer = 0] = free.slice(4 * place)
    return { postgres, rest, etcd, peer }
  })
  const entry = free.at(-1) ?? 0
  const here = onThisMachine(ports, entry)
  const running: ChildProcess[] = []
  const patronis = new Map<number, ChildProcess>()
  const run = (program: string, args: readonly string[], log: string) => {
    mkdirSync(join(folder, 'data', `home-${log}`), { recursive: true })
    own(join(folder, 'data', `home-${log}`), account)
    const output = openSync(join(folder, `${log}.log`), 'a')
    const child = spawn(program, args, {
      cwd: folder,
      // Patroni stores a password file there.
      env: { ...process.env, HOME: join(folder, 'data', `home-${log}`) },
      stdio: ['ignore', output, output],
      ...account,
    })
    running.push(child)
    return child
  }
  const startPatroni = (place: number) => {
    const name = PAGE_NAMES[place] ?? ''
    patronis.set(place, run('/usr/bin/patroni', [join(folder, `${name}.yml`)], name))
  }
  const processesOf = (place: number) => {
    const postmaster = postmasterOf(join(folder, 'data', PAGE_NAMES[place] ?? ''))
    const patroni = patronis.get(place)?.pid
    const roots = [patroni, postmaster].filter((pid) => pid !== undefined)
    return [...new Set([...roots, ...roots.flatMap((pid) => childrenOf(pid))])]
  }
  const primary = async () => {
    const found = await Promise.all(ports.map(({ rest }) => isPrimary(rest)))
    const place = found.indexOf(true)
    return place < 0 ? undefined : place
  }
  const untilWhole = () =>
    until(async () => (await primary()) !== undefined && (await areReplicas(ports)), folder)
  const remove = async () => {
    for (const place of PLACES) signalAll(processesOf(place), 'SIGCONT')
    for (const place of PLACES) signalAll(processesOf(place), 'SIGKILL')
    for (const child of running)
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await Promise.all(running.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
    // PostgreSQL's processes end with their postmaster.
    await sleep(500)
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
  try {
    mkdirSync(join(folder, 'data'))
    own(join(folder, 'data'), account)
    for (const place of PLACES) {
      const { etcd, peer } = ports[place] as Ports
      run(
        '/usr/bin/etcd',
        etcdArguments(PAGE_NAMES[place], { folder, etcd, peer, peers: ports.map((port) => port.peer) }),
        `etcd${place}`,
      )
    }
    for (const place of PLACES)
      writeFileSync(
        join(folder, `${PAGE_NAMES[place]}.yml`),
        here(example('yaml', 'scope: latchkey'), place, folder),
      )
    writeFileSync(join(folder, 'haproxy.cfg'), here(example('haproxy', 'listen database'), 0, folder))
    for (const place of PLACES) startPatroni(place)
    run(findBalancer() ?? '', ['-db', '-f', join(folder, 'haproxy.cfg')], 'haproxy')
    await untilWhole()
    return {
      url: `postgresql://postgres:change-me@127.0.0.1:${entry}/postgres`,
      primary,
      untilWhole,
      kill: async (place) => {
        signalAll(processesOf(place), 'SIGKILL')
        await sleep(100)
      },
      restart: startPatroni,
      freeze: (place) => {
        const frozen = processesOf(place)
        signalAll(frozen, 'SIGSTOP')
        return () => signalAll(frozen, 'SIGCONT')
      },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

function etcdArguments(
  name: string,
  {
    folder,
    etcd,
    peer,
    peers,
  }: {
    readonly folder: string
    readonly etcd: number
    readonly peer: number
    readonly peers: readonly number[]
  },
): readonly string[] {
  const client = `http://127.0.0.1:${etcd}`
  const own = `http://127.0.0.1:${peer}`
  const cluster = peers.map((port, place) => `${PAGE_NAMES[place]}=http://127.0.0.1:${port}`).join(',')
  return [
    ...['--name', name, '--data-dir', join(folder, 'data', `etcd-${name}`)],
    ...['--listen-client-urls', client, '--advertise-client-urls', client],
    ...['--listen-peer-urls', own, '--initial-advertise-peer-urls', own],
    ...['--initial-cluster', cluster, '--initial-cluster-state', 'new'],
    ...['--heartbeat-interval', '300', '--election-timeout', '3000'],
  ]
}

/** The page's block in a language that contains a text. */
function example(language: string, has: string): string {
  const blocks = [...readFileSync(PAGE, 'utf8').matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))]
  const found = blocks.map(([, text]) => text ?? '').find((text) => text.includes(has))
  if (found === undefined) throw new Error(`${PAGE} has no example with ${has}`)
  return found
}

/** Adapts an example of the page, which shows its first machine, to one of the machines here. */
function onThisMachine(ports: readonly Ports[], entry: number) {
  return (text: string, place: number, folder: string): string => {
    const own = PAGE_HOSTS[place] ?? ''
    let result = text
      .replace('name: db1', `name: ${PAGE_NAMES[place]}`)
      .replaceAll(/^(\s+(?:listen|connect_address): )10\.0\.0\.11/gm, `$1${own}`)
      .replace('/var/lib/postgresql/15/latchkey', join(folder, 'data', PAGE_NAMES[place] ?? ''))
      .replace('/usr/lib/postgresql/15/bin', join(POSTGRES_FOLDER, postgresFolder() ?? '', 'bin'))
      .replace('127.0.0.1:5000', `127.0.0.1:${entry}`)
    for (const [at, host] of PAGE_HOSTS.entries()) {
      const { postgres = 0, rest = 0, etcd = 0 } = ports[at] ?? {}
      result = result
        .replaceAll(`${host}:5432 check port 8008`, `127.0.0.1:${postgres} check port ${rest}`)
        .replaceAll(`${host}:5432`, `127.0.0.1:${postgres}`)
        .replaceAll(`${host}:8008`, `127.0.0.1:${rest}`)
        .replaceAll(`${host}:2379`, `127.0.0.1:${etcd}`)
    }
    return result.replaceAll('10.0.0.0/24', '127.0.0.0/8')
  }
}

async function isPrimary(restPort: number): Promise<boolean> {
  return (await statusOf(`http://127.0.0.1:${restPort}/primary`)) === 200
}

/** Whether two replicas follow, one of them synchronously. */
async function areReplicas(ports: readonly Ports[]): Promise<boolean> {
  const answers = await Promise.all(ports.map(({ rest }) => statusOf(`http://127.0.0.1:${rest}/replica`)))
  const synchronous = await Promise.all(
    ports.map(({ rest }) => statusOf(`http://127.0.0.1:${rest}/synchronous`)),
  )
  return answers.filter((status) => status === 200).length === 2 && synchronous.includes(200)
}

async function statusOf(url: string): Promise<number | undefined> {
  const response = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined)
  await response?.body?.cancel()
  return response?.status
}

async function until(condition: () => Promise<boolean>, folder: string): Promise<void> {
  const startedAt = performance.now()
  while (!(await condition())) {
    if (performance.now() - startedAt > START_MS_MAX) {
      const log = PAGE_NAMES.map((name) =>
        readFileSync(join(folder, `${name}.log`), 'utf8').slice(-2_000),
      ).join('\n')
      throw new Error(`the database machines are not whole:\n${log}`)
    }
    await sleep(250)
  }
}

function postgresFolder(): string | undefined {
  if (!existsSync(POSTGRES_FOLDER)) return undefined
  return readdirSync(POSTGRES_FOLDER)
    .filter((name) => existsSync(join(POSTGRES_FOLDER, name, 'bin/pg_basebackup')))
    .toSorted((a, b) => Number(b) - Number(a))[0]
}

function postmasterOf(dataDir: string): number | undefined {
  const file = join(dataDir, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
  return isOf(pid, dataDir) ? pid : undefined
}

/** The file outlives a killed process, and another process may have its id by now. */
function isOf(pid: number, dataDir: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir)
  } catch {
    return false
  }
}

/** PostgreSQL does not run as root. */
function databaseAccount(): { uid?: number; gid?: number } {
  if (userInfo().uid !== 0) return {}
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('postgres:'))
  const [, , uid, gid] = line?.split(':') ?? []
  if (uid === undefined || gid === undefined)
    throw new Error('there is no user postgres: apt-get install postgresql')
  return { uid: Number(uid), gid: Number(gid) }
}

function own(path: string, { uid, gid }: { readonly uid?: number; readonly gid?: number }): void {
  if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal)
    } catch {
      // It exited in between.
    }
  }
}
