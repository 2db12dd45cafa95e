/** Servers with a different schema from this version's: simulated later versions. */
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const SERVER = join(import.meta.dirname, '../../../..')

export interface Generation {
  readonly name: string
  /** The file to start; undefined: this version's. */
  readonly main: string | undefined
  remove(): Promise<void>
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
