/** The key-value store. */
import type { CommandGroup } from '../frame/command-spec.ts'

export const KV_COMMANDS: CommandGroup = {
  title: 'Keys',
  commands: [
    {
      usage: 'kv get <key>',
      summary: 'print the value of a key',
      options: [{ flags: '--details', description: 'also print its flags and indexes' }],
      examples: ['kv get web/port', 'kv get web/logo > logo.png'],
      load: async () => (await import('./kv.ts')).get,
    },
    {
      usage: 'kv put <key> [value]',
      summary: 'write a key',
      details:
        'The value is the argument, the content of a file for @FILE, or standard input without one or for -.',
      options: [
        {
          flags: '--cas <index>',
          description: 'only if its ModifyIndex is still this; 0: only if it does not exist',
        },
        { flags: '--flags <number>', description: 'a number to store with the value' },
      ],
      examples: ['kv put web/port 8080', 'kv put web/logo @logo.png'],
      load: async () => (await import('./kv.ts')).put,
    },
    {
      usage: 'kv delete <key>',
      summary: 'delete a key, after confirmation',
      options: [
        { flags: '--recurse', description: 'delete all keys that begin with it' },
        { flags: '--cas <index>', description: 'only if its ModifyIndex is still this' },
      ],
      examples: ['kv delete web/port', 'kv delete web/ --recurse'],
      load: async () => (await import('./kv.ts')).remove,
    },
    {
      usage: 'kv list [prefix]',
      summary: 'list keys',
      options: [
        { flags: '--separator <text>', description: 'list one level only, up to this separator, such as /' },
        { flags: '--values', description: 'also print the values' },
      ],
      examples: ['kv list', 'kv list web/ --separator /'],
      load: async () => (await import('./kv.ts')).list,
    },
    {
      usage: 'lock <key> <command...>',
      summary: 'run a command while no other session holds the lock of a key',
      details:
        'Waits for the lock, keeps its session alive, and releases it at the end. The exit code is that of the command, or 5: the lock was taken (with --no-wait), or was lost, which stops the command. If the holder dies, the lock is free after at most half a minute plus the lock delay. The value of the key names the holder.',
      options: [{ flags: '--no-wait', description: 'give up at once if the lock is taken' }],
      examples: ['lock jobs/nightly -- ./nightly.sh', 'lock jobs/nightly --no-wait -- ./nightly.sh --all'],
      load: async () => (await import('./locks.ts')).lock,
    },
    {
      usage: 'session list',
      summary: 'list the sessions that hold locks',
      examples: ['session list'],
      load: async () => (await import('./locks.ts')).listSessions,
    },
    {
      usage: 'session delete <id>',
      summary: 'end a session and release its locks, after confirmation',
      examples: ['session delete 8fecefe3-2322-b083-c3c0-ae88e860cc26'],
      load: async () => (await import('./locks.ts')).deleteSession,
    },
    {
      usage: 'txn <file>',
      summary: 'run several operations on keys, nodes, services and checks, all or nothing',
      details:
        'The file contains a list of operations in the format of the API, as YAML or JSON; values of keys are in base64. Exit code 5: an operation failed, so nothing was written.',
      examples: ['txn operations.yaml', 'txn - < operations.json'],
      load: async () => (await import('./transaction.ts')).txn,
    },
  ],
}
