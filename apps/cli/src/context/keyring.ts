/** The system's keyring, through its command line: `secret-tool` (libsecret) or `security` (macOS). */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Io } from '../frame/io.ts'

/** Secrets by account. Calls never throw: without a keyring, the context file stores the secret. */
export interface Keyring {
  readonly name: string
  /** `undefined` if the keyring has no secret or is locked. */
  read(account: string): Promise<string | undefined>
  /** @returns whether the secret was stored. */
  write(account: string, secret: string): Promise<boolean>
  remove(account: string): Promise<void>
}

const SERVICE = 'latchkey'

/** @returns `undefined` if there is no keyring, or `LATCHKEY_KEYRING` is `off`. */
export function findKeyring(env: Io['env'], platform: string = process.platform): Keyring | undefined {
  if (env.LATCHKEY_KEYRING === 'off') return undefined
  if (platform === 'darwin') return macKeyring(env)
  // Without a session bus, secret-tool cannot reach a keyring, and would hang.
  return env.DBUS_SESSION_BUS_ADDRESS === undefined ? undefined : secretTool(env)
}

function secretTool(env: Io['env']): Keyring {
  const attributes = (account: string) => ['service', SERVICE, 'account', account]
  return {
    name: 'the keyring of the desktop',
    read: (account) => run(env, 'secret-tool', ['lookup', ...attributes(account)]),
    write: async (account, secret) =>
      (await run(
        env,
        'secret-tool',
        ['store', '--label', `Latchkey ${account}`, ...attributes(account)],
        secret,
      )) !== undefined,
    remove: async (account) => {
      await run(env, 'secret-tool', ['clear', ...attributes(account)])
    },
  }
}

function macKeyring(env: Io['env']): Keyring {
  const where = (account: string) => ['-s', SERVICE, '-a', account]
  return {
    name: 'the keychain',
    read: async (account) =>
      (await run(env, 'security', ['find-generic-password', '-w', ...where(account)]))?.trim(),
    // The interactive mode reads the secret from standard input, because other users can see arguments. Each line is a
    // command, so a secret with a line end would run what follows it.
    write: async (account, secret) => {
      if (/\p{Cc}/u.test(account + secret)) return false
      const command = `add-generic-password -U -s ${SERVICE} -a ${quoted(account)} -w ${quoted(secret)}\n`
      return (await run(env, 'security', ['-i'], command)) !== undefined
    },
    remove: async (account) => {
      await run(env, 'security', ['delete-generic-password', ...where(account)])
    },
  }
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Maximum time for the person to unlock the keyring. */
const KEYRING_MS_MAX = 60_000

/** The output of a command; `undefined` if it failed or does not exist. */
async function run(
  env: Io['env'],
  command: string,
  args: readonly string[],
  input = '',
): Promise<string | undefined> {
  const child = spawn(command, args, {
    env: { ...env },
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: KEYRING_MS_MAX,
  })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  try {
    const [exitCode] = await once(child, 'close')
    return exitCode === 0 ? output : undefined
  } catch {
    // ENOENT: the command is not installed.
    return undefined
  }
}
