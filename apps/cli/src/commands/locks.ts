/** `lock` and `session`: one command at a time, on any number of machines. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, type LockSession, NotFound } from '@latchkey/sdk'
import { EXIT } from '../exit-codes.ts'
import { CliError } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'

/** A holder that dies keeps others waiting for at most twice this. */
const TTL = '15s'
const RENEW_MS = 5_000
/** A lock delay ends without a change of the key, so waiting also asks now and then. */
const ASK_MS = 1_000

export const lock: Action = async (session, input) => {
  const [key = '', ...command] = input.args
  const client = await session.client()
  const { ID } = await client.sessions.create({ Name: `latchkey lock ${key}`, TTL })
  const lost = new AbortController()
  const keeping = keepAlive(client, ID, lost)
  try {
    const isHeld = await acquire(client, key, ID, { waits: input.flag('wait'), signal: session.io.signal })
    if (!isHeld) throw new CliError(`${key} is locked by another session`, { exitCode: EXIT.conflict })
    const exitCode = await run(command, { ended: [session.io.signal, lost.signal], sessionId: ID })
    if (!lost.signal.aborted) return exitCode
    throw new CliError(`the lock on ${key} was lost while the command ran, so it was ended`, {
      exitCode: EXIT.conflict,
    })
  } finally {
    clearInterval(keeping)
    // Releases the key. If the service does not answer, the TTL does.
    await client.sessions.destroy(ID).catch(() => undefined)
  }
}

/** Renews the session until it is cleared. A session that has ended cannot come back. */
function keepAlive({ sessions }: Client, id: string, lost: AbortController): NodeJS.Timeout {
  return setInterval(() => {
    sessions.renew(id).catch((error: unknown) => {
      if (error instanceof NotFound) lost.abort()
    })
  }, RENEW_MS)
}

interface Waiting {
  readonly waits: boolean
  readonly signal: AbortSignal
}

async function acquire(
  { kv }: Client,
  key: string,
  id: string,
  { waits, signal }: Waiting,
): Promise<boolean> {
  const value = `${hostname()} ${process.pid}`
  while (!(await kv.acquire(key, id, { value, signal }))) {
    if (!waits) return false
    await delay(ASK_MS, undefined, { signal })
  }
  return true
}

interface Running {
  /** Any of them ends the command. */
  readonly ended: readonly AbortSignal[]
  readonly sessionId: string
}

/** @returns the exit code of the command; 128 and the number of the signal that ended it, as shells have it. */
async function run(
  [program = '', ...args]: readonly string[],
  { ended, sessionId }: Running,
): Promise<number> {
  const child: ChildProcess = spawn(program, args, {
    stdio: 'inherit',
    env: { ...process.env, LATCHKEY_LOCK_SESSION: sessionId },
  })
  const end = () => child.kill('SIGTERM')
  const signal = AbortSignal.any([...ended])
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    const [code] = await once(child, 'exit')
    return typeof code === 'number' ? code : SIGNALLED
  } catch (error) {
    throw new CliError(`cannot run ${program}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    })
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** 128 + SIGTERM. */
const SIGNALLED = 143

export const listSessions: Action = async (session) => {
  await session.out.list(
    await (await session.client()).sessions.list(),
    [
      { title: 'ID', text: ({ ID }: LockSession) => ID },
      { title: 'Name', text: ({ Name }: LockSession) => Name },
      { title: 'Node', text: ({ Node }: LockSession) => Node },
      { title: 'TTL', text: ({ TTL: ttl }: LockSession) => ttl || 'none' },
      { title: 'At its end', text: ({ Behavior }: LockSession) => `${Behavior} its keys` },
    ],
    'No sessions that this token may read.',
  )
}

export const deleteSession: Action = async (session, input) => {
  const id = input.arg(0)
  await session.confirm(`End session ${id}? It loses its locks.`)
  await (await session.client()).sessions.destroy(id)
  await session.note(`Ended session ${id}.`)
}
