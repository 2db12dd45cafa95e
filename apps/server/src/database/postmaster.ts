/** The PostgreSQL server process: starts it, finds it, stops it, and cleans up after one that was killed. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { platform } from 'node:os'
import { basename, join, parse } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BaseLogger } from 'pino'
import { hasCode } from '../has-code.ts'
import { StartError } from '../start-error.ts'
import { type PostgresAccount, programEnvironment } from './postgres-account.ts'

interface PostmasterExit {
  readonly how: string
  readonly logTail: string
}

export interface Postmaster {
  readonly pid: number
  /** Settles when the process has ended, for any reason. */
  readonly exited: Promise<PostmasterExit>
  /** Shuts down: cancels running statements; committed data is on disk. Settles when the process has ended. */
  stop(): Promise<void>
}

interface StartPostmasterOptions {
  readonly program: string
  readonly args: readonly string[]
  readonly account: PostgresAccount
  readonly clusterDir: string
  readonly logFile: string
  readonly log: BaseLogger
}

const READY_POLL_MS = 10
const RECOVERY_NOTICE_MS = 5_000
/** Shutdown escalates through these signals. None of them loses committed data. */
const STOP_STEPS: readonly { readonly signal: NodeJS.Signals; readonly waitMs: number }[] = [
  { signal: 'SIGINT', waitMs: 10_000 },
  { signal: 'SIGQUIT', waitMs: 3_000 },
  { signal: 'SIGKILL', waitMs: 3_000 },
]
/** Orphans soon notice that their postmaster is gone; the server ends those that are in a long statement. */
const ORPHAN_PATIENCE_MS = 1_000
const LOG_FILE_BYTES_MAX = 10 * 1024 * 1024
const LOG_TAIL_BYTES = 2_000

/**
 * Starts a postmaster and waits until it accepts connections, without a limit, because crash recovery may take long.
 * @throws StartError with the end of its log if the process ends instead.
 */
export async function startPostmaster(options: StartPostmasterOptions): Promise<Postmaster> {
  const { clusterDir, logFile, log } = options
  const logStart = openLogFile(logFile)
  const { file, args, ...ids } = options.account.command(options.program, options.args)
  const child = spawn(file, args, {
    ...ids,
    // The account may not enter our working directory.
    cwd: parse(file).root || '/',
    env: programEnvironment(),
    // Its own session: Ctrl-C in a terminal reaches only the server, which still needs the database to finish.
    detached: true,
    // A file, not a pipe, so that logging continues if this process is killed.
    stdio: ['ignore', logStart.fd, logStart.fd],
  })
  closeSync(logStart.fd)
  // Its pid is then undefined.
  child.on('error', () => {})
  const { pid } = child
  if (pid === undefined) throw new StartError(`PostgreSQL could not be started: ${file} cannot be run`)
  const dismissWatchdog = stopWhenWeDie(pid)
  let exit: PostmasterExit | undefined
  const exited = once(child, 'exit').then(([code, signal]): PostmasterExit => {
    dismissWatchdog()
    exit = {
      how: signal === null ? `exit code ${code}` : `killed by ${signal}`,
      logTail: readTail(logFile, logStart.offset),
    }
    return exit
  })

  const startedAt = performance.now()
  let noticeAfterMs = RECOVERY_NOTICE_MS
  for (;;) {
    await Promise.race([sleep(READY_POLL_MS), exited])
    if (exit !== undefined) {
      const { how, logTail } = exit
      throw new StartError(`PostgreSQL did not start (${how}). The end of ${logFile}:\n${logTail}`)
    }
    const state = readPostmasterState(clusterDir)
    if (state?.pid === pid && state?.status === 'ready') break
    if (performance.now() - startedAt > noticeAfterMs) {
      log.info({ forMs: noticeAfterMs, logFile }, 'PostgreSQL is still starting; it may be recovering')
      noticeAfterMs += RECOVERY_NOTICE_MS
    }
  }
  return { pid, exited, stop: () => stopProcess(pid, log) }
}

/**
 * Prepares for a new postmaster: stops one that an earlier server left behind (its settings are unknown), ends its
 * orphans, and removes a misleading `postmaster.pid`. The caller holds the directory's lock, so what still runs has no
 * owner.
 */
export async function clearLeftovers(clusterDir: string, log: BaseLogger): Promise<void> {
  const { postmaster } = findClusterProcesses(clusterDir)
  if (postmaster !== undefined) {
    log.warn({ pid: postmaster }, 'stopping the PostgreSQL that an earlier run left behind')
    await stopProcess(postmaster, log)
  }
  const orphans = findClusterProcesses(clusterDir).children
  if (!(await endedWithin(orphans, ORPHAN_PATIENCE_MS))) {
    for (const pid of orphans.filter(isAlive)) {
      log.warn({ pid }, 'ending a PostgreSQL process whose postmaster is gone')
      signalProcess(pid, 'SIGKILL')
    }
    await endedWithin(orphans, ORPHAN_PATIENCE_MS)
  }
  if (findClusterProcesses(clusterDir).postmaster === undefined) removeMisleadingLocks(clusterDir)
}

/**
 * PostgreSQL does not see that a lock file is stale if its pid now belongs to another process, or was never written.
 */
function removeMisleadingLocks(clusterDir: string): void {
  for (const name of readdirSync(clusterDir)) {
    if (name !== 'postmaster.pid' && !/^\.s\.PGSQL\.\d+\.lock$/.test(name)) continue
    const path = join(clusterDir, name)
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10)
    if (Number.isNaN(pid) || isTaken(Math.abs(pid))) rmSync(path, { force: true })
  }
}

async function stopProcess(pid: number, log: BaseLogger): Promise<void> {
  // A stopped process reacts to no other signal.
  signalProcess(pid, 'SIGCONT')
  for (const { signal, waitMs } of STOP_STEPS) {
    signalProcess(pid, signal)
    if (await endedWithin([pid], waitMs)) return
    log.warn({ pid, signal, waitMs }, 'PostgreSQL has not stopped in time')
  }
}

async function endedWithin(pids: readonly number[], waitMs: number): Promise<boolean> {
  const deadline = performance.now() + waitMs
  while (pids.some(isAlive)) {
    if (performance.now() > deadline) return false
    await sleep(READY_POLL_MS)
  }
  return true
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It ended in between.
  }
}

/** Opens the log for appending. Moves a long log of earlier runs aside, replacing the one before it. */
function openLogFile(path: string): { readonly fd: number; readonly offset: number } {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_FILE_BYTES_MAX) renameSync(path, `${path}.1`)
  return { fd: openSync(path, 'a', 0o600), offset: size > LOG_FILE_BYTES_MAX ? 0 : size }
}

/** The end of a log, and nothing before `offset`; or why it cannot be read: the file may have been removed. */
function readTail(path: string, offset: number): string {
  try {
    return readFileSync(path).subarray(offset).subarray(-LOG_TAIL_BYTES).toString('utf8').trim()
  } catch (error) {
    return `The log of PostgreSQL cannot be read: ${String(error)}`
  }
}

/**
 * Interrupts a process when this one dies, however it dies: a shell waits for the end of a pipe that only this process
 * holds open. On Windows, the next start stops the orphaned database. Call the result as soon as the process has
 * ended.
 */
function stopWhenWeDie(pid: number): () => void {
  if (platform() === 'win32') return () => {}
  const shell = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'sh', String(pid)], {
    // Its own session, like the database's: Ctrl-C must not end the watch.
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', () => {
    // Without a shell there is no watch; the next start cleans up.
  })
  shell.unref()
  return () => {
    shell.kill('SIGKILL')
  }
}

const STATUS_LINE = 7

/** Reads `postmaster.pid`; undefined if there is none. The file remains after a postmaster was killed. */
function readPostmasterState(clusterDir: string) {
  try {
    const lines = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), status: lines[STATUS_LINE]?.trim() }
  } catch {
    return undefined
  }
}

/** Finds the processes of a cluster by inspecting them: after a kill, a pid in a file may be another's. */
function findClusterProcesses(clusterDir: string) {
  const recorded = readPostmasterState(clusterDir)?.pid
  const pids =
    platform() === 'linux' ? findByWorkingDirectory(clusterDir) : findByCommandLine(clusterDir, recorded)
  return {
    postmaster: pids.find((pid) => pid === recorded),
    // On Linux only: elsewhere they cannot be distinguished from the processes of another cluster.
    children: pids.filter((pid) => pid !== recorded),
  }
}

/** Every process of PostgreSQL works in its cluster's directory. */
function findByWorkingDirectory(clusterDir: string): number[] {
  const directory = realpathSync(clusterDir)
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readLink(`/proc/${pid}/cwd`) === directory)
    .filter((pid) => basename(readLink(`/proc/${pid}/exe`)).startsWith('postgres'))
    .map(Number)
}

function readLink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** Only the postmaster was started with the directory as an argument. */
function findByCommandLine(clusterDir: string, recorded: number | undefined): number[] {
  if (recorded === undefined || platform() === 'win32') return []
  try {
    const args = execFileSync('ps', ['-o', 'args=', '-p', String(recorded)], { encoding: 'utf8' })
    return args.includes(clusterDir) ? [recorded] : []
  } catch {
    return []
  }
}

export function isAlive(pid: number): boolean {
  return isTaken(pid) && !isZombie(pid)
}

/** Whether the pid is in use: by a living process, ours or not, or by a zombie. */
export function isTaken(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return hasCode(error, 'EPERM')
  }
}

/** A zombie: its parent has not waited for it. In containers, this can last forever. */
function isZombie(pid: number): boolean {
  if (platform() !== 'linux') return false
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
  } catch {
    return true
  }
}
