import { AclError } from '@latchkey/contract'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { StartError } from '../start-error.ts'
import { startPatiently } from './start-patiently.ts'

const log = pino({ level: 'silent' })

/** A start that fails with each of the errors in turn, and then succeeds. */
function failing(...errors: readonly Error[]) {
  let starts = 0
  const start = async () => {
    const error = errors[starts]
    starts += 1
    if (error !== undefined) throw error
    return 'started'
  }
  return { start, starts: () => starts }
}

const refused = (code: 'unavailable' | 'id_in_use') => new AclError(code, 'no')

test('a database that does not answer in time delays a start, and does not fail it', async () => {
  const timeout = new Error('Query read timeout')
  const { start, starts } = failing(refused('unavailable'), timeout)
  expect(await startPatiently(start, { log })).toBe('started')
  expect(starts()).toBe(3)
})

test('after its patience it fails with the last error', async () => {
  const last = refused('unavailable')
  const { start, starts } = failing(last)
  await expect(startPatiently(start, { log, patienceMs: -1 })).rejects.toBe(last)
  expect(starts()).toBe(1)
})

test.each([
  ['a refusal', refused('id_in_use')],
  ['a host that cannot be found', new StartError('no', { cause: { code: 'ENOTFOUND' } })],
  ['a bug', new TypeError('x is undefined')],
])('%s fails it at once', async (_, error) => {
  const { start, starts } = failing(error)
  await expect(startPatiently(start, { log })).rejects.toBe(error)
  expect(starts()).toBe(1)
})
