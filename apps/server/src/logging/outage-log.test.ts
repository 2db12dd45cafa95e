import { AclError } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { createOutageLog } from './outage-log.ts'

test('one line a second says why requests failed, and how many since the last line', () => {
  const lines: unknown[] = []
  let ms = 0
  const log = createOutageLog({ warn: (fields: object) => lines.push(fields) }, () => ms)
  const canceled = Object.assign(new Error('canceling statement'), {
    code: '57014',
    client: { password: 'p' },
  })
  const fail = (id: string, cause?: Error) =>
    log(new AclError('unavailable', 'try again', cause && { cause }), id)
  fail('a', canceled)
  fail('b', canceled)
  ms = 999
  fail('c', canceled)
  ms = 1_000
  fail('d')
  expect(lines).toEqual([
    { reason: 'canceling statement', state: '57014', requests: 1, id: 'a' },
    { reason: 'try again', state: undefined, requests: 3, id: 'd' },
  ])
})
