import { readFileSync, readlinkSync } from 'node:fs'
import { isTaken } from '../../database/postmaster.ts'

/** Boot, pid namespace, pid and start time, for other processes on this machine; empty on systems other than Linux. */
export function processIdentity(): string {
  return identityOf(process.pid) ?? ''
}

/** Whether a process has certainly ended. A server that was killed and restarted need not wait for its own lease. */
export function isProcessGone(identity: string): boolean {
  const [boot, namespace, pid] = identity.split(' ')
  const [ownBoot, ownNamespace] = processIdentity().split(' ')
  if (!boot || boot !== ownBoot || namespace !== ownNamespace) return false
  const now = identityOf(Number(pid))
  return now === undefined ? !isTaken(Number(pid)) : now !== identity
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
