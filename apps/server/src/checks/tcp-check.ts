/** One run of a TCP check. Decisions: agent. */
import { connect } from 'node:net'
import type { CheckRun } from '@latchkey/catalog'
import type { Outgoing } from '../outgoing/outgoing.ts'
import type { CheckResult } from './http-check.ts'

type TcpRun = Extract<CheckRun, { readonly type: 'tcp' }>

/** Connects once, to an address that the rules for outgoing requests allow. A failure is a critical result. */
export async function runTcpCheck(run: TcpRun, outgoing: Outgoing, stop?: AbortSignal): Promise<CheckResult> {
  const { address } = run
  const failed = (reason: string): CheckResult => ({
    status: 'critical',
    output: `dial tcp ${address}: ${reason}`,
  })
  const colon = address.lastIndexOf(':')
  const host = address.slice(0, Math.max(0, colon)).replace(/^\[|\]$/g, '')
  const port = Number(address.slice(colon + 1))
  if (colon < 0 || !Number.isInteger(port) || port < 1 || port > 65_535) {
    return failed('the address is not host:port')
  }
  const timeout = AbortSignal.timeout(run.timeoutMs)
  const signal = stop ? AbortSignal.any([timeout, stop]) : timeout
  try {
    const target = outgoing.connectionTo(host || '127.0.0.1')
    await new Promise<void>((done, refused) => {
      // With several addresses, an error would have no message.
      const socket = connect({ ...target, port, signal, autoSelectFamily: false })
      socket.once('connect', () => {
        socket.destroy()
        done()
      })
      socket.on('error', refused)
      socket.once('close', () => refused(new Error('the connection was closed')))
    })
    return { status: 'passing', output: `TCP connect ${address}: Success` }
  } catch (error) {
    return failed(signal.aborted ? 'timeout' : (error as Error).message)
  }
}
