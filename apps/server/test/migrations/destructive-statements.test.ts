import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PACKAGE_FILES } from '../../src/config/package-files.ts'
import { destructiveStatements, markOf } from './destructive-statements.ts'

const migrations = readdirSync(PACKAGE_FILES.migrations, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => ({
    name,
    sql: readFileSync(join(PACKAGE_FILES.migrations, name, 'migration.sql'), 'utf8'),
  }))
  .sort((a, b) => (a.name < b.name ? -1 : 1))

test('UPG-01: every migration only adds, or says which servers survive it', () => {
  const found = migrations
    .filter(({ sql }) => markOf(sql) === undefined)
    .flatMap(({ name, sql }) => destructiveStatements(sql).map((statement) => ({ name, statement })))
  expect(found).toEqual([])
})

test('UPG-01: a migration that removes something has a mark that names an earlier migration whose servers survive it', () => {
  const marks = migrations.flatMap(({ name, sql }) => {
    const mark = markOf(sql)
    return mark === undefined ? [] : [{ name, mark }]
  })
  const names = migrations.map(({ name }) => name)
  const wrong = marks.filter(({ name, mark }) => !names.includes(mark) || mark >= name)
  expect(wrong).toEqual([])
})

test('the mark of a migration is read only from the statement that sets it', () => {
  const set = "UPDATE schema_compatibility\n  SET migration = '20270101_a', release = '0.2.0'; DROP TABLE x;"
  expect(markOf(`-- why\n${set}`)).toBe('20270101_a')
  expect(markOf(`-- ${set.replace('\n', ' ')}\nDROP TABLE x;`)).toBeUndefined()
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
