import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { readOrCreateSecretFile, syncDirectory } from '../durable-file.ts'
import { hasCode } from '../has-code.ts'
import { StartError } from '../start-error.ts'
import { type PostgresAccount, programEnvironment } from './postgres-account.ts'
import type { PostgresBinaries } from './postgres-binaries.ts'

/** The database superuser and, by the same name, the database. */
export const EMBEDDED_NAME = 'latchkey'

const DRAFT_PREFIX = 'postgres.initdb-'

interface OpenClusterOptions {
  readonly dataDir: string
  readonly binaries: PostgresBinaries
  readonly account: PostgresAccount
}

/**
 * Opens the cluster of a data directory (PostgreSQL's term for the databases that one server process serves), and
 * creates it at the first start.
 *
 * `initdb` works in a draft directory that gets its real name when it is complete, so a kill halfway leaves nothing
 * that looks like a database; leftovers are removed here. The password file is written before the cluster that needs
 * it.
 *
 * @param clusterDir the cluster's directory, directly inside the data directory.
 * @returns the password of the database superuser.
 * @throws StartError with the end of initdb's output if it fails.
 */
export async function openCluster(clusterDir: string, options: OpenClusterOptions): Promise<string> {
  const { dataDir } = options
  const password = await readOrCreateSecretFile(join(dataDir, 'postgres.password'), () =>
    randomBytes(32).toString('base64url'),
  )
  for (const name of await readdir(dataDir)) {
    if (name.startsWith(DRAFT_PREFIX)) await removeDraft(join(dataDir, name))
  }
  if (!existsSync(clusterDir)) await createCluster(clusterDir, password, options)
  return password
}

async function createCluster(
  clusterDir: string,
  password: string,
  options: OpenClusterOptions,
): Promise<void> {
  const { dataDir, binaries, account } = options
  const draft = join(dataDir, `${DRAFT_PREFIX}${randomUUID()}`)
  const cluster = join(draft, 'cluster')
  const passwordFile = join(draft, 'password')
  await mkdir(cluster, { recursive: true, mode: 0o700 })
  await writeFile(passwordFile, password, { mode: 0o600 })
  for (const path of [draft, cluster, passwordFile]) account.own(path)

  const { code, output } = await runProgram(account, binaries.initdb, [
    `--pgdata=${cluster}`,
    `--username=${EMBEDDED_NAME}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    // PostgreSQL's own bytewise order and Unicode case rules: the same on every machine.
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
  ])
  if (code !== 0) {
    await removeDraft(draft)
    throw new StartError(
      `The database in ${dataDir} could not be created: initdb ended with ${code}.\n${output.trim().slice(-2_000)}`,
    )
  }
  await rename(cluster, clusterDir)
  await removeDraft(draft)
  await syncDirectory(dataDir)
}

/**
 * Removes a draft. The `initdb` of a killed server lives until it next prints, and its backend a little longer: what
 * they still write into the draft is removed by a retry, or at the next start. Draft names are unique, so a leftover is
 * harmless.
 */
async function removeDraft(draft: string): Promise<void> {
  try {
    await rm(draft, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 })
  } catch (error) {
    if (!hasCode(error, 'ENOTEMPTY')) throw error
  }
}

async function runProgram(account: PostgresAccount, program: string, args: readonly string[]) {
  const { file, args: all, ...ids } = account.command(program, args)
  const child = spawn(file, all, {
    ...ids,
    // The account may not enter our working directory.
    cwd: parse(program).root,
    env: programEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString()
  })
  const [code, signal]: (number | string | null)[] = await once(child, 'close')
  return { code: code ?? signal, output }
}

/**
 * Size of all tables and indexes of a cluster, in bytes. Unreadable files are not counted; PostgreSQL will report them.
 */
export function databaseBytes(clusterDir: string): number {
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
  try {
    return readdirSync(join(clusterDir, 'base'), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .reduce((bytes, { parentPath, name }) => bytes + sizeOf(join(parentPath, name)), 0)
  } catch {
    return 0
  }
}
