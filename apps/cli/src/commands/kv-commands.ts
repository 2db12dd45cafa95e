/** The key-value store, locks and transactions. */
import { EXIT } from '../frame/cli-error.ts'
import { type CommandGroup, option } from '../frame/command-spec.ts'
import { readRecord } from '../records/read-body.ts'

export const KV_COMMANDS: CommandGroup = {
  title: 'Keys',
  commands: [
    {
      usage: 'kv get <key>',
      summary: 'print the value of a key',
      options: [option('--details', 'also print its flags and indexes')],
      examples: ['kv get web/port', 'kv get web/logo > logo.png'],
      load: async () => (await import('./kv.ts')).get,
    },
    {
      usage: 'kv put <key> [value]',
      summary: 'write a key',
      details:
        'The value is the argument, the content of a file for @FILE, or standard input without one or for -.',
      options: [
        option('--cas <index>', 'only if its ModifyIndex is still this; 0: only if it does not exist'),
        option('--flags <number>', 'a number to store with the value'),
      ],
      examples: ['kv put web/port 8080', 'kv put web/logo @logo.png'],
      load: async () => (await import('./kv.ts')).put,
    },
    {
      usage: 'kv delete <key>',
      summary: 'delete a key, after confirmation',
      options: [
        option('--recurse', 'delete all keys that begin with it'),
        option('--cas <index>', 'only if its ModifyIndex is still this'),
      ],
      examples: ['kv delete web/port', 'kv delete web/ --recurse'],
      load: async () => (await import('./kv.ts')).remove,
    },
    {
      usage: 'kv list [prefix]',
      summary: 'list keys',
      options: [
        option('--separator <text>', 'list one level only, up to this separator, such as /'),
        option('--values', 'also print the values'),
      ],
      examples: ['kv list', 'kv list web/ --separator /'],
      load: async () => (await import('./kv.ts')).list,
    },
    {
      usage: 'lock <key> <command...>',
      summary: 'run a command while no other session holds the lock of a key',
      details:
        'Waits for the lock, keeps its session alive, and releases it at the end. The exit code is that of the command, or 5: the lock was taken (with --no-wait), or was lost, which stops the command. If the holder dies, the lock is free after at most half a minute plus the lock delay. The value of the key names the holder.',
      options: [option('--no-wait', 'give up at once if the lock is taken')],
      examples: ['lock jobs/nightly -- ./nightly.sh', 'lock jobs/nightly --no-wait -- ./nightly.sh --all'],
      load: async () => (await import('./locks.ts')).lock,
    },
    {
      usage: 'session list',
      summary: 'list the sessions that hold locks',
      async run(session) {
        await session.out.list(
          await (await session.client()).sessions.list(),
          [
            ...(['ID', 'Name', 'Node'] as const),
            ['TTL', ({ TTL: ttl }) => ttl || 'none'],
            ['At its end', ({ Behavior }) => `${Behavior} its keys`],
          ],
          'No sessions that this token may read.',
        )
      },
    },
    {
      usage: 'session delete <id>',
      summary: 'end a session and release its locks, after confirmation',
      examples: ['session delete 8fecefe3-2322-b083-c3c0-ae88e860cc26'],
      async run(session, input) {
        const id = input.arg(0)
        await session.confirm(`End session ${id}? It loses its locks.`)
        await (await session.client()).sessions.destroy(id)
        await session.note(`Ended session ${id}.`)
      },
    },
    {
      usage: 'txn <file>',
      summary: 'run several operations on keys, nodes, services and checks, all or nothing',
      details:
        'The file contains a list of operations in the format of the API, as YAML or JSON; values of keys are in base64. Exit code 5: an operation failed, so nothing was written.',
      examples: ['txn operations.yaml', 'txn - < operations.json'],
      async run(session, input) {
        const { transactionSchema } = await import('@latchkey/contract')
        const operations = await readRecord(input.arg(0), transactionSchema, session)
        const outcome = await (await session.client()).txn.apply(operations)
        await session.out.data(outcome.committed ? outcome.results : outcome.errors)
        if (outcome.committed) return EXIT.done
        await session.note('Nothing was written.')
        return EXIT.conflict
      },
    },
  ],
}
