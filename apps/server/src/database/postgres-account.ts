import { execFileSync } from 'node:child_process'
import { chownSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname } from 'node:path'
import { StartError } from '../start-error.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'

/**
 * The account that the database runs as. PostgreSQL refuses to run as root, so a server started by root gives its
 * database the system user `postgres`; any other user runs it as itself.
 */
export interface PostgresAccount {
  /** Gives a file or directory to the account. */
  own(path: string): void
  /** How to start a program under the account. */
  command(program: string, args: readonly string[]): AccountCommand
}

interface AccountCommand {
  readonly file: string
  readonly args: readonly string[]
  readonly uid?: number
  readonly gid?: number
}

const OURSELVES: PostgresAccount = {
  own() {},
  command: (file, args) => ({ file, args }),
}

/**
 * Chooses the account, and creates the system user if root lacks one.
 *
 * Root often works in directories that no other user may enter: `/root`, or one from `mktemp -d`. The database's user
 * can then reach neither its programs nor its data. Instead of opening those directories, the database is started with
 * the one capability that lets it through (`setpriv`, part of util-linux).
 *
 * @param clusterDir the directory of the database. An existing one keeps its owner.
 * @throws StartError if root cannot switch users.
 */
export function choosePostgresAccount(binaries: PostgresBinaries, clusterDir: string): PostgresAccount {
  if (userInfo().uid !== 0) return OURSELVES
  const { uid, gid } = findOwner(clusterDir) ?? findPostgresUser() ?? createPostgresUser()
  const paths = [binaries.initdb, binaries.postgres, clusterDir]
  const own = (path: string) => chownSync(path, uid, gid)
  if (paths.every((path) => isReachable(path, uid, gid))) {
    return { own, command: (file, args) => ({ file, args, uid, gid }) }
  }
  const setpriv = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
  const capability = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  assertSetpriv([...setpriv, ...capability, 'true'], paths)
  return {
    own,
    command: (program, args) => ({ file: 'setpriv', args: [...setpriv, ...capability, program, ...args] }),
  }
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

/** Whether the mode bits let a user through every directory above a path. */
function isReachable(path: string, uid: number, gid: number): boolean {
  const above = dirname(path)
  if (above === path) return true
  const directory = statSync(above)
  const shift = directory.uid === uid ? 6 : directory.gid === gid ? 3 : 0
  return ((directory.mode >> shift) & 0o1) === 0o1 && isReachable(above, uid, gid)
}

function assertSetpriv(args: readonly string[], paths: readonly string[]): void {
  try {
    run('setpriv', args)
  } catch (cause) {
    throw new StartError(
      'PostgreSQL does not run as root, and the user "postgres" cannot reach all of:\n' +
        `${paths.map((path) => `  ${path}`).join('\n')}\n` +
        'Start the server as an ordinary user, move it out of directories only root may enter, or set DATABASE_URL.',
      { cause },
    )
  }
}

function run(file: string, args: readonly string[]): string {
  return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}
