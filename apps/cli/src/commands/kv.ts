import { readFileSync } from 'node:fs'
import { visibleLine } from '@latchkey/contract/plain'
import { type KVEntry, NotFound, valueBytes, valueText } from '@latchkey/sdk'
import { CliError, EXIT, systemProblem } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import { readInput, write, writeData } from '../frame/io.ts'
import type { Session } from '../frame/session.ts'

const FIELDS = [
  'Key',
  'Flags',
  'ModifyIndex',
  ['Value', (entry: KVEntry) => `${valueText(entry)}\n`],
] as const

/** Prints the bytes of the value, for example into a file; with `--details` or another format, the whole entry. */
export const get: Action = async (session, input) => {
  const entry = await find(session, input.arg(0))
  if (!session.out.isTable) return session.out.data(entry)
  if (input.flag('details')) return session.out.record(entry, FIELDS)
  const bytes = valueBytes(entry)
  await writeData(session.io.stdout, bytes)
  // On a terminal, the next prompt needs its own line; a file gets only the bytes.
  if (session.io.stdout.isTTY === true && bytes.at(-1) !== 10) await write(session.io.stdout, '\n')
}

/** @throws CliError if there is no such key. */
async function find(session: Session, key: string): Promise<KVEntry> {
  const { kv } = await session.client()
  return kv.get(key).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error
    throw new CliError(`there is no key "${key}"`, {
      exitCode: EXIT.notFound,
      hints: [`To list keys: latchkey kv list ${key.slice(0, key.lastIndexOf('/') + 1)}`.trim()],
      cause: error,
    })
  })
}

export const put: Action = async (session, input) => {
  const [key = '', given] = input.args
  const value = given === undefined || given === '-' ? await readInput(session.io) : bytesOf(given)
  const cas = input.count('cas')
  const isWritten = await (await session.client()).kv.put(key, value, { cas, flags: input.count('flags') })
  if (!isWritten) throw changedSince(key)
  await done(session, `Wrote ${key}.`, isWritten)
}

/** `@FILE` reads a file; `@@` escapes a value that starts with `@`. */
function bytesOf(text: string): string | Uint8Array {
  if (!text.startsWith('@')) return text
  if (text.startsWith('@@')) return text.slice(1)
  try {
    return readFileSync(text.slice(1))
  } catch (error) {
    throw new CliError(`cannot read ${text.slice(1)}: ${systemProblem(error)}`, { cause: error })
  }
}

export const remove: Action = async (session, input) => {
  const key = input.arg(0)
  const { kv } = await session.client()
  if (input.flag('recurse') && input.text('cas') !== undefined) {
    throw new CliError('--cas is of one key, and cannot be combined with --recurse')
  }
  if (!input.flag('recurse')) {
    await find(session, key)
    await session.confirm(`Delete the key "${key}"?`)
    if (!(await kv.delete(key, { cas: input.count('cas') }))) throw changedSince(key)
    return done(session, `Deleted ${key}.`, true)
  }
  const keys = await kv.keys(key)
  if (keys.length === 0) return done(session, `No keys below ${key}.`, true)
  const some = keys.slice(0, 3).map(visibleLine).join(', ')
  await session.confirm(`Delete ${keys.length} keys below "${key}" (${some}${keys.length > 3 ? ', …' : ''})?`)
  await done(session, `Deleted ${keys.length} keys.`, await kv.deleteTree(key))
}

export const list: Action = async (session, input) => {
  const { kv } = await session.client()
  const prefix = input.args[0] ?? ''
  if (!input.flag('values')) {
    const keys = await kv.keys(prefix, { separator: input.text('separator') })
    if (!session.out.isTable) return session.out.data(keys)
    if (keys.length === 0) return session.note('No keys.')
    // Scripts get the unmodified keys.
    const shown = session.io.stdout.isTTY === true ? keys.map(visibleLine) : keys
    return session.out.raw(shown.map((key) => `${key}\n`).join(''))
  }
  const entries = await kv.list(prefix)
  await session.out.list(
    entries,
    ['Key', 'ModifyIndex', ['Value', (entry) => valueText(entry).replaceAll('\n', '⏎')]],
    'No keys.',
  )
}

function changedSince(key: string): CliError {
  return new CliError(`${key} changed in the meantime: its ModifyIndex is different`, {
    exitCode: EXIT.conflict,
    hints: [`To see it: latchkey kv get ${key} --details`],
  })
}

async function done(session: Session, text: string, result: boolean): Promise<void> {
  if (session.out.isTable) await session.note(text)
  else await session.out.data(result)
}
