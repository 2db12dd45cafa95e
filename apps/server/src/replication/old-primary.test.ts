import { AclError, type AclErrorCode } from '@latchkey/contract'
import { MemoryStore } from '@latchkey/service'
import { expect, test, vi } from 'vitest'
import { watchOldPrimary } from './replication.ts'

test('warns each time the replaced primary begins to serve again, but not while it is unreachable', async () => {
  const store = new MemoryStore({ after: () => () => {} })
  const Value = { ID: 'new', promoted: { at: '2028-02-29T12:00:00Z', from: 'dc1' } }
  const record = { Key: 'cluster', Value, CreateIndex: 0, ModifyIndex: 0 } as const
  await store.commit([{ table: 'system', op: 'put', record, expect: 0 }])
  const answers: AclErrorCode[] = [
    'datacenter_unreachable',
    'primary_superseded',
    'primary_superseded',
    'datacenter_unreachable',
    'primary_superseded',
  ]
  const ask = vi.fn((_query: object) => Promise.reject(new AclError(answers.shift() ?? 'internal', 'x')))
  const warn = vi.fn()
  const old = watchOldPrimary(store, { ask }, { warn })
  const warnings: number[] = []
  while (answers.length > 0) {
    await old(new AbortController().signal)
    warnings.push(warn.mock.calls.length)
  }
  expect(warnings).toEqual([0, 1, 1, 1, 2])
  expect(ask.mock.calls[0]?.[0]).toMatchObject({ index: store.commitIndex(), cluster: 'new' })
  expect(warn.mock.calls[0]?.[1]).toMatch(/^dc1 is back/)
})
