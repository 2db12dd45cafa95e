import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PACKAGE_FILES } from '../../src/config/package-files.ts'
import { destructiveStatements } from './destructive-statements.ts'

/** Destructive statements that are right, by migration, and why servers of the version before survive them. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '20261126000002_login_limits': {
    'DROP INDEX token_auth_method_generation':
      'The migration creates token_login, which answers the same questions; an index is no interface.',
  },
}

test('UPG-01: every migration only adds, or says why servers of the version before survive it', () => {
  const found = readdirSync(PACKAGE_FILES.migrations, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const sql = readFileSync(join(PACKAGE_FILES.migrations, name, 'migration.sql'), 'utf8')
      return destructiveStatements(sql).map((statement) => ({ name, statement }))
    })
  const unexplained = found.filter(({ name, statement }) => ALLOWED[name]?.[statement] === undefined)
  expect(unexplained).toEqual([])
  const explained = Object.entries(ALLOWED).flatMap(([name, statements]) =>
    Object.keys(statements).map((statement) => ({ name, statement })),
  )
  for (const each of explained) expect(found).toContainEqual(each)
})

test.each([
  'DROP TABLE token;',
  'ALTER TABLE token\n  DROP COLUMN rules;',
  'ALTER TABLE token RENAME COLUMN rules TO text;',
  'ALTER TABLE token ALTER COLUMN hash TYPE bytea;',
  'ALTER TABLE token ALTER COLUMN hash SET NOT NULL;',
  'ALTER TABLE token ADD COLUMN a text, ADD COLUMN b text NOT NULL;',
  'ALTER TABLE token ADD CONSTRAINT x CHECK (local);',
  'UPDATE token SET rules = $$x;y$$;',
  'DROP FUNCTION latchkey_prune(interval);',
])('%s is destructive', (sql) => {
  expect(destructiveStatements(`-- a comment; DROP TABLE x\n${sql}`)).toHaveLength(1)
})

test.each([
  'ALTER TABLE token ADD COLUMN a text, ADD COLUMN b bigint NOT NULL DEFAULT 0;',
  'CREATE TABLE a (b text NOT NULL);',
  'CREATE INDEX a ON token (b);',
  'CREATE OR REPLACE FUNCTION f() RETURNS void LANGUAGE sql AS $$ DELETE FROM token; DROP TABLE x $$;',
  'INSERT INTO commit_index DEFAULT VALUES;',
])('%s is not', (sql) => {
  expect(destructiveStatements(sql)).toEqual([])
})
