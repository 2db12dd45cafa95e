/** The other server: one that is already running, or one that a command starts. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { listAccessors } from './client.ts'
import type { Measured } from './processes.ts'

export interface PeerOptions {
  /** Without a trailing slash. */
  readonly url: string
  readonly secret: string
  readonly prefix: string
  /** Shell command that runs the server in the foreground. Without it, processor time and memory stay unknown. */
  readonly command: string | undefined
}

const START_MS_MAX = 60_000

/** Tokens that a new server may have: the anonymous token, and one or two management tokens. */
const TOKENS_MAX = 3

/** @throws Error if it does not answer a read of its own token within a minute. */
export async function startPeer({ url, secret, prefix, command }: PeerOptions): Promise<Measured> {
  if (command !== undefined && (await isListening(url)))
    throw new Error(`${url} answers before it is started`)
  // A separate process group, so that processes that the shell started end, too.
  const child =
    command === undefined ? undefined : spawn('sh', ['-c', command], { stdio: 'ignore', detached: true })
  const peer = { url, secret, prefix, pid: child?.pid ?? 0, stop: () => stop(child) }
  try {
    await untilAnswered(peer)
    return peer
  } catch (error) {
    await peer.stop()
    throw error
  }
}

/** @throws Error if a server already has tokens. */
export async function requireEmpty(server: Measured): Promise<void> {
  const tokens = (await listAccessors(server)).length
  if (tokens > TOKENS_MAX)
    throw new Error(`${server.url} has ${tokens} tokens: the rows need an empty server`)
}

function isListening(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  )
}

async function untilAnswered({ url, secret, prefix }: Measured): Promise<void> {
  const until = Date.now() + START_MS_MAX
  for (let last = 'no answer'; ; await sleep(50)) {
    try {
      const response = await fetch(`${url}/v1/acl/token/self`, { headers: { [`${prefix}Token`]: secret } })
      last = `${response.status} ${(await response.text()).slice(0, 200)}`
      if (response.ok) return
    } catch {
      // Not listening yet.
    }
    if (Date.now() > until) throw new Error(`${url} does not know its token after a minute: ${last}`)
  }
}

async function stop(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  process.kill(-child.pid, 'SIGTERM')
  await exited
}
