/** One run of a TCP check. Decisions: agent. */
import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import type { CheckRun } from '@latchkey/catalog'
import { type AddressClass, isAddressAllowed, isNameAllowed } from '../outgoing/address-rules.ts'
import type { CheckResult } from './http-check.ts'

export interface CheckTargets {
  /** The only hosts, in lower case; empty for any. */
  readonly hosts: readonly string[]
  readonly publicOnly: boolean
}

type TcpRun = Extract<CheckRun, { readonly type: 'tcp' }>

/**
 * Connects once, to an address that the rules for outgoing requests allow. A failure is a critical result.
 *
 * @param stop ends the run.
 */
export async function runTcpCheck(
  run: TcpRun,
  { hosts, publicOnly }: CheckTargets,
  stop?: AbortSignal,
): Promise<CheckResult> {
  const { address } = run
  const colon = address.lastIndexOf(':')
  const host = address.slice(0, Math.max(0, colon)).replace(/^\[|\]$/g, '')
  const port = Number(address.slice(colon + 1))
  if (colon < 0 || !Number.isInteger(port) || port < 1 || port > 65_535) {
    return failed(address, 'the address is not host:port')
  }
  if (hosts.length > 0 && !hosts.includes(host.toLowerCase())) return failed(address, 'address not allowed')
  const timeout = AbortSignal.timeout(run.timeoutMs)
  const signal = stop ? AbortSignal.any([timeout, stop]) : timeout
  const classes: readonly AddressClass[] = publicOnly ? ['public'] : ['loopback', 'private', 'public']
  try {
    const target = await resolve(host || '127.0.0.1', classes, signal)
    if (target === undefined) return failed(address, 'address not allowed')
    await reach(target, port, signal)
    return { status: 'passing', output: `TCP connect ${address}: Success` }
  } catch (error) {
    return failed(address, signal.aborted ? 'timeout' : (error as Error).message)
  }
}

/** The address of a host; `undefined` if a rule forbids it. */
async function resolve(
  host: string,
  classes: readonly AddressClass[],
  signal: AbortSignal,
): Promise<string | undefined> {
  if (isIP(host) !== 0) return isAddressAllowed(host, classes) ? host : undefined
  if (!isNameAllowed(host)) return undefined
  const found = await Promise.race([lookup(host, { all: true }), aborted(signal)])
  return found.every(({ address }) => isAddressAllowed(address, classes)) ? found[0]?.address : undefined
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
    socket.on('error', refused)
    socket.once('close', () => refused(new Error('the connection was closed')))
  })
}

function failed(address: string, reason: string): CheckResult {
  return { status: 'critical', output: `dial tcp ${address}: ${reason}` }
}
