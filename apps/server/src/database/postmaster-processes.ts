import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { platform } from 'node:os'
import { basename, join } from 'node:path'
import { hasCode } from '../has-code.ts'

/** The content of `postmaster.pid` in a cluster's directory. PostgreSQL writes it line by line as it starts. */
interface PostmasterState {
  readonly pid: number
  /** `starting`, `ready`, `stopping` or `standby`; absent in the first moments. */
  readonly status: string | undefined
}

const STATUS_LINE = 7

/** Reads `postmaster.pid`; undefined if there is none. The file remains after a postmaster was killed. */
export function readPostmasterState(clusterDir: string): PostmasterState | undefined {
  try {
    const lines = readFileSync(join(clusterDir, 'postmaster.pid'), 'utf8').split('\n')
    return { pid: Number(lines[0]), status: lines[STATUS_LINE]?.trim() || undefined }
  } catch {
    return undefined
  }
}

/** The living processes of a cluster: at most one postmaster, and the others it started. */
interface ClusterProcesses {
  readonly postmaster: number | undefined
  /** On Linux only; elsewhere they cannot be distinguished from the processes of another cluster, and this is empty. */
  readonly children: readonly number[]
}

/**
 * Finds the processes that serve a cluster by inspecting them, not by the pid in a file: after a kill, that pid may
 * belong to an unrelated process.
 */
export function findClusterProcesses(clusterDir: string): ClusterProcesses {
  const recorded = readPostmasterState(clusterDir)?.pid
  const pids =
    platform() === 'linux' ? findByWorkingDirectory(clusterDir) : findByCommandLine(clusterDir, recorded)
  return {
    postmaster: pids.find((pid) => pid === recorded),
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

/** Whether a pid names a living process. */
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
