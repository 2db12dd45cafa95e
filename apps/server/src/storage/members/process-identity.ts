import { readFileSync, readlinkSync } from 'node:fs'
import { hasCode } from '../../has-code.ts'

/**
 * An identity of this process that other processes on the same machine can check: boot, pid namespace, pid and start
 * time. Empty on systems other than Linux, where it cannot be checked.
 */
export function processIdentity(): string {
  return identityOf(process.pid) ?? ''
}

/**
 * Whether a process with this identity has certainly ended. False if this cannot be determined, because it ran on
 * another machine or in another container. A server that was killed and restarted need not wait for its own lease.
 */
export function isProcessGone(identity: string): boolean {
  const [boot, namespace, pid] = identity.split(' ')
  const [ownBoot, ownNamespace] = processIdentity().split(' ')
  if (!boot || boot !== ownBoot || namespace !== ownNamespace) return false
  const now = identityOf(Number(pid))
  return now === undefined ? !mayExist(Number(pid)) : now !== identity
}

function identityOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const namespace = readlinkSync('/proc/self/ns/pid')
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the name, which may contain anything: state is the third field, start time the 22nd.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z') return 'ended'
    return `${boot} ${namespace} ${pid} ${fields[19]}`
  } catch {
    return undefined
  }
}

/** `/proc` may hide the processes of other users (`hidepid`); signals do not. */
function mayExist(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return !hasCode(error, 'ESRCH')
  }
}
