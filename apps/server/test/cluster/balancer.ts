/** HAProxy before several servers, with the configuration that the page for operators gives. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@latchkey/testkit/process/ports'

const PAGE = join(import.meta.dirname, '../../../../docs/operations.md')

/** Addresses in the example of the page. */
const PAGE_BALANCER = '127.0.0.1:8500'
const PAGE_SERVERS = ['127.0.0.1:8501', '127.0.0.1:8502', '127.0.0.1:8503'] as const

/** How many servers the example has. */
export const BALANCED_SERVERS = PAGE_SERVERS.length

export interface Balancer {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Path of HAProxy; `undefined` where there is none.
 *
 * @throws Error where LATCHKEY_REQUIRE_HAPROXY=1 and there is none, so that CI cannot skip in silence.
 */
export function findBalancer(): string | undefined {
  // Debian has it where only administrators look.
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  const found = folders.map((folder) => join(folder, 'haproxy')).find((path) => existsSync(path))
  if (found !== undefined || process.env.LATCHKEY_REQUIRE_HAPROXY !== '1') return found
  throw new Error('LATCHKEY_REQUIRE_HAPROXY=1, but there is no haproxy. Install it: apt-get install haproxy')
}

/** Starts HAProxy before the servers that listen on these ports; resolves when it answers with their answers. */
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
