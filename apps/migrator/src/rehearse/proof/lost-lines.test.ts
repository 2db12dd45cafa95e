/** A killed server does not write its last log lines; the service still has the status of the migration. */
import { expect, test } from 'vitest'
import type { LogLine } from '../server-process.ts'
import type { Step } from '../steps/schedule.ts'
import { BATCH, BEGUN, type Done, ENDED, type MigrationStatus, withLostLines } from './measured.ts'

const line = (server: string, at: number, message: string, tokens = 128): LogLine => ({
  server,
  at,
  message,
  fields: { tokens },
})
const place = { path: '', line: 1, column: 1 }
const killed = (server: string, at: number): Done => ({
  step: { kind: 'crash', server, atMs: at, place } as unknown as Step,
  at,
})
const status = (Batches: number, Done: number, State = 'done'): MigrationStatus => ({ State, Batches, Done })
const shown = (log: readonly LogLine[]) =>
  log.map(({ server, at, message, fields }) => [server, at, message, fields.tokens])

const WHOLE = [
  line('a', 1_000, ENDED),
  line('a', 1_100, BEGUN),
  line('a', 1_200, BATCH),
  line('b', 5_000, BEGUN),
  line('b', 6_000, BATCH, 44),
]

test('a whole log stays as it is', () => {
  expect(withLostLines(WHOLE, [killed('a', 2_150)], status(2, 172))).toEqual(WHOLE)
})

test('the batch that a killed server did not write is added, with the tokens that the service counts', () => {
  const log = withLostLines(WHOLE, [killed('a', 2_250)], status(3, 300))
  expect(shown(log.slice(WHOLE.length))).toEqual([['a', 2_250, BATCH, 128]])
})

test('so are its end of the mode, its begin and its first batch', () => {
  const log = withLostLines(WHOLE.slice(3), [killed('a', 1_250)], status(2, 172))
  expect(shown(log.slice(2))).toEqual([
    ['a', 750, BEGUN, undefined],
    ['a', 1_250, BATCH, 128],
    ['a', 1_250, ENDED, undefined],
  ])
})

test.each<[string, Done[], MigrationStatus | undefined]>([
  ['no server was killed', [], status(3, 300)],
  ['another server than the worker was killed', [killed('b', 2_250)], status(3, 300)],
  ['the service does not answer', [killed('a', 2_250)], undefined],
])('a missing batch remains missing where %s', (_, kills, answer) => {
  expect(withLostLines(WHOLE, kills, answer)).toEqual(WHOLE)
})

test('no end of the mode is added while the service waits for it', () => {
  expect(withLostLines([], [killed('a', 1_000)], status(0, 0, 'waiting'))).toEqual([])
})

test('one killed server accounts for one batch', () => {
  expect(withLostLines(WHOLE, [killed('a', 2_250)], status(4, 428))).toHaveLength(WHOLE.length + 1)
})
