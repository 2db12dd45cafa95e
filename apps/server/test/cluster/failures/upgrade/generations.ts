/** Servers with a different schema from this version's: from earlier commits, and simulated later versions. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PACKAGE_FILES } from '../../../../src/config/package-files.ts'

const run = promisify(execFile)

const SERVER = join(import.meta.dirname, '../../../..')
const ROOT = join(SERVER, '../..')

export interface Generation {
  readonly name: string
  /** The file to start; undefined: this version's. */
  readonly main: string | undefined
  remove(): Promise<void>
}

/**
 * The servers before each of the last migrations, built from the commits before them, newest first.
 *
 * @throws if the history of the repository is not available.
 */
export async function* earlierGenerations(count: number): AsyncGenerator<Generation> {
  const migrations = readdirSync(PACKAGE_FILES.migrations)
    .filter((name) => /^\d/.test(name))
    .sort()
    .reverse()
  for (const migration of migrations.slice(0, count)) yield await checkOutBefore(migration)
}

async function checkOutBefore(migration: string): Promise<Generation> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-earlier-'))
  const git = async (...args: string[]) => (await run('git', args, { cwd: ROOT })).stdout.trim()
  const path = `apps/server/prisma/migrations/${migration}/migration.sql`
  const added = await git('log', '--diff-filter=A', '--format=%H', '-1', '--', path)
  // An uncommitted migration follows the last commit.
  const commit = await git('rev-parse', '--short', added === '' ? 'HEAD' : `${added}^`)
  await git('worktree', 'add', '--detach', '--force', folder, commit)
  const server = join(folder, 'apps/server')
  await run('npx', ['-y', 'pnpm@12', 'install', '--frozen-lockfile', '--prefer-offline'], { cwd: folder })
  await run(process.execPath, ['scripts/generate.ts'], { cwd: server })
  return {
    name: `${commit}, before ${migration}`,
    main: join(server, 'src/main.ts'),
    remove: async () => {
      await git('worktree', 'remove', '--force', folder)
    },
  }
}

/** A build of this version with further migrations, like a later version. */
export async function laterGeneration(migrations: Readonly<Record<string, string>>): Promise<Generation> {
  await run(process.execPath, ['scripts/build.ts'], { cwd: SERVER })
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-later-'))
  cpSync(join(SERVER, 'dist'), join(folder, 'dist'), { recursive: true })
  for (const name of ['package.json', 'node_modules'] as const)
    symlinkSync(join(SERVER, name), join(folder, name))
  for (const [name, sql] of Object.entries(migrations)) {
    const directory = join(folder, 'dist/files/migrations', name)
    mkdirSync(directory)
    writeFileSync(join(directory, 'migration.sql'), sql)
  }
  return {
    name: Object.keys(migrations).at(-1) ?? 'this version',
    main: join(folder, 'dist/main.js'),
    remove: async () => rmSync(folder, { recursive: true }),
  }
}

/** The server of this version. */
export const THIS: Generation = { name: 'this version', main: undefined, remove: async () => {} }

/** A release that adds columns, a table and an index. */
export const EXPAND = {
  '20990101000000_expand': `
    ALTER TABLE token ADD COLUMN later text, ADD COLUMN later_count integer NOT NULL DEFAULT 0;
    ALTER TABLE member ADD COLUMN later text;
    CREATE TABLE later (id text PRIMARY KEY);
    CREATE INDEX later_token ON token (later_count);`,
} as const

/** The next release, which removes something that only servers before {@link EXPAND} could need. */
export const CONTRACT = {
  ...EXPAND,
  '20990201000000_contract': `
    UPDATE schema_compatibility SET migration = '20990101000000_expand', release = '99.1.0';
    DROP INDEX later_token;
    ALTER TABLE token DROP COLUMN later_count;`,
} as const
