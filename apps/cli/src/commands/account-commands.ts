/** Logins and contexts. */
import { type CommandGroup, option } from '../frame/command-spec.ts'

export const ACCOUNT_COMMANDS: CommandGroup = {
  title: 'Account',
  commands: [
    {
      usage: 'login [address]',
      summary: 'log in with a secret or through an auth method, and save the token',
      details:
        'Asks for the secret without echoing it, or reads it from standard input. Stores the token in the contexts file, which only you can read.',
      options: [
        option('--method <name>', 'log in through this auth method'),
        option(
          '--bearer-file <file>',
          'a file with the credential from the identity provider; without it, the browser opens',
        ),
        option(
          '--redirect-uri <uri>',
          'where the browser returns; default: http://127.0.0.1:8550/oidc/callback',
        ),
        option('--no-browser', 'print the address instead of opening a browser'),
        option('--meta <name=value>', 'metadata to add to the description of the token', { isList: true }),
      ],
      examples: [
        'login --token-file secret.txt',
        'login https://acl.example.com --context production',
        'login --method ci --bearer-file /run/secrets/ci.jwt',
      ],
      load: async () => (await import('../context/account.ts')).login,
    },
    {
      usage: 'logout',
      summary: 'forget the token; delete it if a login created it',
      examples: ['logout'],
      load: async () => (await import('../context/account.ts')).logout,
    },
    {
      usage: 'whoami',
      summary: 'show the token in use, where it comes from and when it expires',
      examples: ['whoami'],
      load: async () => (await import('../context/account.ts')).whoami,
    },
    {
      usage: 'context list',
      summary: 'list the servers that you have logged in to',
      examples: ['context list'],
      load: async () => (await import('../context/account.ts')).listContexts,
    },
    {
      usage: 'context use <name>',
      summary: 'switch to another server',
      examples: ['context use production'],
      load: async () => (await import('../context/account.ts')).useContext,
    },
    {
      usage: 'context delete <name>',
      summary: 'forget a server and its token',
      examples: ['context delete staging'],
      load: async () => (await import('../context/account.ts')).deleteContext,
    },
  ],
}
