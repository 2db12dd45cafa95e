/** Commands for the server itself, and for the shell. */
import { type CommandGroup, option } from '../frame/command-spec.ts'
import { bootstrap } from './account.ts'

/** @param groups all commands, for completion. */
export const serverCommands = (groups: () => readonly CommandGroup[]): CommandGroup => ({
  title: 'Server',
  commands: [
    {
      usage: 'bootstrap',
      summary: 'create the first management token of a new server, and log in with it',
      details: 'Works only once per server. Stores the secret as login does.',
      examples: ['bootstrap', 'bootstrap --address https://acl.example.com --context production'],
      run: bootstrap,
    },
    {
      usage: 'status',
      summary: 'show the server, its peers, replication and the upgrade',
      load: async () => (await import('./status.ts')).status,
    },
    {
      usage: 'watch <what> [name]',
      summary: 'print a record or list now and on every change, until Ctrl-C',
      details:
        'What: tokens, token, policies, policy, roles, role, key, keys, service, intentions. With --output ndjson, one line per state.',
      options: [option('--count <states>', 'stop after this many states')],
      examples: ['watch policies --count 1', 'watch key web/port --output ndjson'],
      load: async () => (await import('./watch.ts')).watch,
    },
    {
      usage: 'backup <file>',
      summary: 'write an archive of the whole store to a file',
      details:
        'Needs a management token. The file appears when it is complete, and only its owner can read it. Overwrites an existing file only after confirmation.',
      examples: ['backup latchkey.archive'],
      load: async () => (await import('./archive.ts')).backup,
    },
    {
      usage: 'restore <file>',
      summary: 'replace the whole store with an archive, all or nothing, after confirmation',
      details:
        'Needs a management token. Afterwards only the tokens in the archive are valid: unless the archive has the token of this command, log in again.',
      options: [
        option(
          '--unauthenticated',
          'also restore an archive without an HMAC, such as one of an older version: anyone may have changed it',
        ),
      ],
      examples: ['restore latchkey.archive'],
      load: async () => (await import('./archive.ts')).restore,
    },
    {
      usage: 'import',
      summary: 'create the tokens, policies, roles, auth methods and binding rules of another service here',
      details:
        'With the same ids and secrets. First names what cannot be made; without a terminal, leaving it out needs --yes. Then asks both services, as each token, what its rules decide about. A repeated import continues. Exit code 2: with --check, records are missing here; or answers differ.',
      options: [
        option('--from <url>', 'the address of the other service, such as http://127.0.0.1:8501'),
        option(
          '--from-token-file <file>',
          'a file with the secret of a token with acl:write there (default: LATCHKEY_FROM_TOKEN)',
        ),
        option('--check', 'create nothing: only report and compare'),
      ],
      examples: ['import --from http://127.0.0.1:8500 --check', 'import --from http://old.example.com:8500'],
      load: async () => (await import('../move/import.ts')).importRecords,
    },
    {
      usage: 'completion <shell>',
      summary: 'print the completion script for bash, zsh or fish',
      examples: ['completion bash'],
      load: async () => (await import('../completion.ts')).completion,
    },
    {
      usage: '__complete [words...]',
      summary: 'answer a completion script',
      examples: ['__complete -- token'],
      isHidden: true,
      load: async () =>
        (await import('../completion.ts')).completeWords(() => groups().flatMap(({ commands }) => commands)),
    },
  ],
})
