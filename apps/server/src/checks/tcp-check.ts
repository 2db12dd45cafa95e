/** One run of a TCP check. Decisions: agent. */
import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import type { CheckRun } from '@latchkey/acl'
import { isAddressAllowed, isNameAllowed } from '../outgoing/address-rules.ts'
import type { CheckResult } from './http-check.ts'

type TcpRun = Extract<CheckRun, { readonly type: 'tcp' }>

/**
 * Connects once, to an address that the rules for outgoing requests allow. A failure is a critical result.
 *
 * @param hosts the only hosts that checks may connect to, in lower case; empty for any.
 */
export async function runTcpCheck(run: TcpRun, hosts: readonly string[]): Promise<CheckResult> {
  const { address } = run
  const colon = address.lastIndexOf(':')
  const host = address.slice(0, Math.max(0, colon)).replace(/^\[|\]$/g, '')
  const port = Number(address.slice(colon + 1))
  if (colon < 0 || !Number.isInteger(port) || port < 1 || port > 65_535) {
    return failed(address, 'the address is not host:port')
  }
  if (hosts.length > 0 && !hosts.includes(host.toLowerCase())) return failed(address, 'address not allowed')
  const signal = AbortSignal.timeout(run.timeoutMs)
  try {
    const target = await resolve(host || '127.0.0.1', signal)
    if (target === undefined) return failed(address, 'address not allowed')
    await reach(target, port, signal)
    return { status: 'passing', output: `TCP connect ${address}: Success` }
  } catch (error) {
    return failed(address, signal.aborted ? 'timeout' : (error as Error).message)
  }
}

/** The address of a host; `undefined` if a rule forbids it. */
async function resolve(host: string, signal: AbortSignal): Promise<string | undefined> {
  if (isIP(host) !== 0) return isAddressAllowed(host, true) ? host : undefined
  if (!isNameAllowed(host)) return undefined
  const found = await Promise.race([lookup(host, { all: true }), aborted(signal)])
  return found.every(({ address }) => isAddressAllowed(address, true)) ? found[0]?.address : undefined
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function reach(host: string, port: number, signal: AbortSignal): Promise<void> {
  return new Promise((done, refused) => {
    const socket = connect({ host, port, signal })
    socket.once('connect', () => {
      socket.destroy()
      done()
    })
    socket.once('error', refused)
  })
}

function failed(address: string, reason: string): CheckResult {
  return { status: 'critical', output: `dial tcp ${address}: ${reason}` }
}
