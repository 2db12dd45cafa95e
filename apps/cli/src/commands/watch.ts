/** `watch`: prints a record or a list now, and again whenever it changes. */
import type { Client, Watch } from '@latchkey/sdk'
import { CliError, EXIT } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import type { Input } from '../frame/input.ts'
import type { Io } from '../frame/io.ts'
import { findRecord, keyOf } from '../records/find.ts'

type Open = (client: Client, name: string, signal: AbortSignal) => Promise<Watch<unknown>> | Watch<unknown>

const idOf = async (client: Client, kind: 'policy' | 'role', name: string) =>
  keyOf(kind, await findRecord(client, kind, name))

/** What can be watched, by its word on the command line. Entries with `name` require a name. */
const WATCHED: Readonly<Record<string, { readonly name?: string; readonly open: Open }>> = {
  tokens: { open: (client, _, signal) => client.tokens.watchList({}, { signal }) },
  token: {
    name: 'accessor or self',
    open: (client, name, signal) =>
      name === 'self' ? client.tokens.watchSelf({ signal }) : client.tokens.watch(name, { signal }),
  },
  policies: { open: (client, _, signal) => client.policies.watchList({ signal }) },
  policy: {
    name: 'name or ID',
    open: async (client, name, signal) =>
      client.policies.watch(await idOf(client, 'policy', name), { signal }),
  },
  roles: { open: (client, _, signal) => client.roles.watchList({}, { signal }) },
  role: {
    name: 'name or ID',
    open: async (client, name, signal) => client.roles.watch(await idOf(client, 'role', name), { signal }),
  },
  key: { name: 'key', open: (client, name, signal) => client.kv.watch(name, { signal }) },
  keys: { name: 'prefix', open: (client, name, signal) => client.kv.watchTree(name, { signal }) },
  service: { name: 'service', open: (client, name, signal) => client.health.watchService(name, { signal }) },
  intentions: { open: (client, _, signal) => client.intentions.watchList({}, { signal }) },
}

export const watch: Action = async (session, input) => {
  const { open, name } = watchedOf(input)
  const client = await session.client()
  const count = input.count('count') ?? Number.POSITIVE_INFINITY
  if (count === 0) return EXIT.done
  const closed = pipeClosed(session.io)
  const signal = AbortSignal.any([session.io.signal, closed])
  let seen = 0
  try {
    for await (const { value, index } of await open(client, name, signal)) {
      if (session.out.isTable) {
        await session.note(session.paint('dim', `— ${new Date().toISOString()}, index ${index ?? 'unknown'}`))
      }
      await session.out.state(value ?? null)
      seen += 1
      if (seen >= count) break
    }
  } catch (error) {
    if (!closed.aborted) throw error
  }
  return EXIT.done
}

/** Aborts when the reader closes the pipe, like `head`. */
function pipeClosed({ stdout }: Pick<Io, 'stdout'>): AbortSignal {
  const closed = new AbortController()
  stdout.on('error', (error: NodeJS.ErrnoException) => error.code === 'EPIPE' && closed.abort())
  return closed.signal
}

function watchedOf(input: Input): { readonly open: Open; readonly name: string } {
  const [kind = '', name] = input.args
  const watched = WATCHED[kind]
  if (watched === undefined) {
    throw new CliError(`"${kind}" cannot be watched`, {
      hints: [`These can: ${Object.keys(WATCHED).join(', ')}`],
    })
  }
  if (watched.name !== undefined && name === undefined) {
    throw new CliError(`watch ${kind} needs a name: ${watched.name}`)
  }
  if (watched.name === undefined && name !== undefined) {
    throw new CliError(`watch ${kind} takes no name: it prints all of them`)
  }
  return { open: watched.open, name: name ?? '' }
}
