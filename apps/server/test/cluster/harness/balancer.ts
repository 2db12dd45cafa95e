/** HAProxy in front of several servers, with the configuration of docs/operations.md. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@latchkey/testkit/process/ports'

const PAGE = join(import.meta.dirname, '../../../../../docs/operations.md')

/** Addresses in the example of the page. */
const PAGE_BALANCER = '127.0.0.1:8500'
const PAGE_SERVERS = ['127.0.0.1:8501', '127.0.0.1:8502', '127.0.0.1:8503'] as const

/** How many servers the example has. */
export const BALANCED_SERVERS = PAGE_SERVERS.length

interface Balancer {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Path of HAProxy; `undefined` if it is not installed.
 *
 * @throws Error if LATCHKEY_REQUIRE_HAPROXY=1 and it is missing, so that CI cannot skip silently.
 */
export function findBalancer(): string | undefined {
  // Debian installs it outside the PATH of ordinary users.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  const found = folders.map((folder) => join(folder, 'haproxy')).find((path) => existsSync(path))
  if (found !== undefined || process.env.LATCHKEY_REQUIRE_HAPROXY !== '1') return found
  throw new Error('LATCHKEY_REQUIRE_HAPROXY=1, but there is no haproxy. Install it: apt-get install haproxy')
}

/** Starts HAProxy in front of the servers on these ports; resolves when it forwards their answers. */
export async function startBalancer(serverPorts: readonly number[]): Promise<Balancer> {
  const program = findBalancer()
  if (program === undefined) throw new Error('there is no haproxy; install it: apt-get install haproxy')
  const [port = 0] = await freePorts(1)
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-balancer-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configOfPage(port, serverPorts))
  const child = spawn(program, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    await end(child)
    rmSync(folder, { recursive: true })
  }
  while (!(await isReady(url))) {
    if (child.exitCode !== null) throw new Error(`haproxy ended with ${child.exitCode}:\n${said}`)
    await sleep(50)
  }
  return { url, stop }
}

function configOfPage(port: number, serverPorts: readonly number[]): string {
  const example = /```haproxy\n(.*?)```/s.exec(readFileSync(PAGE, 'utf8'))?.[1] ?? ''
  const replacements = [
    [PAGE_BALANCER, port],
    ...PAGE_SERVERS.map((address, place) => [address, serverPorts[place]] as const),
  ] as const
  return replacements.reduce((config, [address, replacement]) => {
    if (!config.includes(address)) throw new Error(`the example of ${PAGE} has no ${address}`)
    return config.replace(address, `127.0.0.1:${replacement}`)
  }, example)
}

async function isReady(url: string): Promise<boolean> {
  const response = await fetch(`${url}/readyz`).catch(() => undefined)
  return response?.status === 200
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
