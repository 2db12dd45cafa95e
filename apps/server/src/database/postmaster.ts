import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join, parse } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BaseLogger } from 'pino'
import { StartError } from '../start-error.ts'
import { type PostgresAccount, programEnvironment } from './postgres-account.ts'
import { findClusterProcesses, isAlive, isTaken, readPostmasterState } from './postmaster-processes.ts'
import { stopWhenWeDie } from './postmaster-watchdog.ts'

/** How a postmaster ended without being asked to stop. */
export interface PostmasterExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last lines it wrote. */
  readonly logTail: string
}

/** A running PostgreSQL server process that accepts connections. */
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
  /** Where the process writes its log; appended to. */
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
 * Starts a postmaster and waits until it accepts connections. Crash recovery may take long: there is no limit while
 * the process lives, only a notice in the log.
 *
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
  const dismissWatchdog = child.pid === undefined ? () => {} : stopWhenWeDie(child.pid)
  const exited = once(child, 'exit').then(
    ([code, signal]): PostmasterExit => ({ code, signal, logTail: readTail(logFile, logStart.offset) }),
    (cause: unknown): PostmasterExit => ({ code: null, signal: null, logTail: String(cause) }),
  )
  let exit: PostmasterExit | undefined
  exited.then((value) => {
    exit = value
    dismissWatchdog()
  })

  const startedAt = performance.now()
  let noticeAfterMs = RECOVERY_NOTICE_MS
  for (;;) {
    await Promise.race([sleep(READY_POLL_MS), exited])
    if (exit !== undefined) {
      throw new StartError(
        `PostgreSQL did not start (${describeExit(exit)}). The end of ${logFile}:\n${exit.logTail}`,
      )
    }
    const state = readPostmasterState(clusterDir)
    if (state?.pid === child.pid && state?.status === 'ready') break
    if (performance.now() - startedAt > noticeAfterMs) {
      log.info({ forMs: noticeAfterMs, logFile }, 'PostgreSQL is still starting; it may be recovering')
      noticeAfterMs += RECOVERY_NOTICE_MS
    }
  }
  const pid = childPid(child)
  return { pid, exited, stop: () => stopProcess(pid, log) }
}

export function describeExit({ code, signal }: PostmasterExit): string {
  return signal === null ? `exit code ${code}` : `killed by ${signal}`
}

/**
 * Prepares for a new postmaster: stops one that an earlier server left behind, ends its orphans, and removes a
 * `postmaster.pid` that would mislead PostgreSQL. The caller holds the directory's lock, so any process that still
 * runs here has no owner.
 *
 * The old postmaster is stopped rather than adopted: a child process reports its end at once, and its settings are
 * known.
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
 * PostgreSQL detects a stale lock file if its pid is unused, but not if the pid now belongs to another process or a
 * zombie, or was never written. Only called when no postmaster runs.
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

function childPid(child: ChildProcess): number {
  if (child.pid === undefined) throw new StartError('PostgreSQL could not be started')
  return child.pid
}

/** Opens the log for appending. Moves a long log of earlier runs aside, replacing the one before it. */
function openLogFile(path: string): { readonly fd: number; readonly offset: number } {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > LOG_FILE_BYTES_MAX) renameSync(path, `${path}.1`)
  return { fd: openSync(path, 'a', 0o600), offset: size > LOG_FILE_BYTES_MAX ? 0 : size }
}

/**
 * The end of a log, at most {@link LOG_TAIL_BYTES} and nothing before `offset`; or why it cannot be read: the file may
 * have been removed.
 */
function readTail(path: string, offset: number): string {
  try {
    const fd = openSync(path, 'r')
    try {
      const { size } = statSync(path)
      const start = Math.max(offset, size - LOG_TAIL_BYTES)
      const tail = Buffer.alloc(size - start)
      readSync(fd, tail, 0, tail.length, start)
      return tail.toString('utf8').trim()
    } finally {
      closeSync(fd)
    }
  } catch (error) {
    return `The log of PostgreSQL cannot be read: ${String(error)}`
  }
}
