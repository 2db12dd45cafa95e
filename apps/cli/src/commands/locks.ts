/** `lock`: mutual exclusion of commands across machines. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants, hostname } from 'node:os'
import { type Client, LatchkeyError, type Lock, valueText } from '@latchkey/sdk'
import { CliError, EXIT, systemProblem } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import type { Session } from '../frame/session.ts'

export const lock: Action = async (session, input) => {
  const [key = '', ...command] = input.args
  const client = await session.client()
  session.progress.show(`waiting for ${key} …`)
  const options = {
    signal: session.io.signal,
    value: `${hostname()} ${process.pid}`,
    session: { Name: `latchkey lock ${key}` },
  }
  const { locks } = client
  const held = await (input.flag('wait') ? locks.acquire(key, options) : locks.tryAcquire(key, options))
  session.progress.clear()
  if (!held) throw await refusal(client, key)
  try {
    const exitCode = await run(command, AbortSignal.any([session.io.signal, held.signal]), held.session)
    if (!held.signal.aborted) return exitCode
    throw new CliError(`the lock on ${key} was lost while the command ran, so the command was stopped`, {
      exitCode: EXIT.conflict,
      cause: held.signal.reason,
    })
  } finally {
    await release(held, session)
  }
}

/** Holders other than this command line may store anything in the key. */
const HOLDER_LENGTH_MAX = 80

/** Reports the holder of a lock, with the value that it wrote into the key. */
async function refusal({ kv }: Client, key: string): Promise<CliError> {
  const holder = await kv.get(key).catch(() => undefined)
  return new CliError(
    holder?.Session === undefined
      ? `${key} is no longer locked, but its lock delay has not passed`
      : `${key} is locked by session ${holder.Session} (${valueText(holder).slice(0, HOLDER_LENGTH_MAX)})`,
    { exitCode: EXIT.conflict, hints: ['To wait for the lock, omit --no-wait'] },
  )
}

/** Releases the lock. A failure is only reported: the session's TTL ends the lock too, and the command has its result. */
async function release(held: Lock, session: Session): Promise<void> {
  try {
    await held.release()
  } catch (error) {
    if (!(error instanceof LatchkeyError)) throw error
    await session.note(
      `${held.key} could not be released, and stays locked until its session ends: ${error.message}`,
    )
  }
}

/** @returns the exit code of the command or, as in shells, 128 plus the number of the signal that ended it. */
async function run([program = '', ...args]: readonly string[], signal: AbortSignal, sessionId: string) {
  const child: ChildProcess = spawn(program, args, {
    stdio: 'inherit',
    env: { ...process.env, LATCHKEY_LOCK_SESSION: sessionId },
  })
  const end = () => child.kill('SIGTERM')
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  try {
    await once(child, 'exit')
    return child.exitCode ?? SIGNALLED + constants.signals[child.signalCode ?? 'SIGTERM']
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    throw new CliError(
      isMissing ? `there is no program "${program}"` : `cannot run ${program}: ${systemProblem(error)}`,
      { cause: error },
    )
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** Base of the exit codes of shells for signals. */
const SIGNALLED = 128
