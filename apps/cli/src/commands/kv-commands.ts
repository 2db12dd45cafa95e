/** The key-value store. */
import type { CommandGroup } from '../frame/command-spec.ts'

export const KV_COMMANDS: CommandGroup = {
  title: 'Keys',
  commands: [
    {
      usage: 'kv get <key>',
      summary: 'print the value of a key',
      options: [{ flags: '--details', description: 'print its flags and indexes too' }],
      examples: ['kv get web/port', 'kv get web/logo > logo.png'],
      load: async () => (await import('./kv.ts')).get,
    },
    {
      usage: 'kv put <key> [value]',
      summary: 'write a key',
      details: 'The value is the argument, the content of a file for @FILE, or standard input.',
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
      summary: 'delete a key, after a question',
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
        { flags: '--separator <text>', description: 'one level of a tree, such as /' },
        { flags: '--values', description: 'with their values' },
      ],
      examples: ['kv list', 'kv list web/ --separator /'],
      load: async () => (await import('./kv.ts')).list,
    },
    {
      usage: 'lock <key> <command...>',
      summary: 'run a command while no other session holds the lock of a key',
      details:
        'Waits for the lock, keeps its session alive, and releases it at the end. The exit code is that of the command; 5: the lock was not free with --no-wait, or was lost, which ends the command. A holder that dies frees the lock within half a minute, and the lock delay after it. The key gets a value that names the holder.',
      options: [{ flags: '--no-wait', description: 'give up if the lock is not free' }],
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
      summary: 'end a session, which loses its locks, after a question',
      examples: ['session delete 8fecefe3-2322-b083-c3c0-ae88e860cc26'],
      load: async () => (await import('./locks.ts')).deleteSession,
    },
    {
      usage: 'txn <file>',
      summary: 'make several operations on keys, nodes, services and checks: all of them, or none',
      details:
        'The file has a list of operations as the API takes them, in YAML or JSON; values of keys are base64. Exit code 5: one of them refused, so nothing was written.',
      examples: ['txn operations.yaml', 'txn - < operations.json'],
      load: async () => (await import('./transaction.ts')).txn,
    },
  ],
}
