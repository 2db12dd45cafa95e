import { refusalOf } from '@latchkey/testkit/records/refusal'
import { expect, test } from 'vitest'
import { checkChosenId, checkPathId, isReservedId, isUuid } from './ids.ts'

test.each([
  'ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e',
  'CE10EB30-0AE9-4A16-A3B9-4A4B2E5A6B2E',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
])('%s is a UUID, whatever its version bits say', (id) => {
  expect(isUuid(id)).toBe(true)
})

const NOT_UUIDS = [
  '',
  'ce10eb30',
  'ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2',
  'ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2ee',
  'ge10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e',
  'ce10eb300-ae9-4a16-a3b9-4a4b2e5a6b2e',
  'ce10eb300ae94a16a3b94a4b2e5a6b2e',
  '{e10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2}',
  'ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e\n',
  ' ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e',
  'ce10eb30‐0ae9‐4a16‐a3b9‐4a4b2e5a6b2e',
  'ｃe10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e',
]

test.each(NOT_UUIDS)('id_invalid: %j is not a UUID, and the error does not repeat it', (id) => {
  expect(isUuid(id)).toBe(false)
  const refusal = refusalOf(() => checkChosenId(id, 'SecretID'))
  expect(refusal).toMatchObject({ code: 'id_invalid', field: 'SecretID' })
  if (id !== '') expect(refusal.message).not.toContain(id)
})

test.each([
  '00000000-0000-0000-0000-000000000000',
  '00000000-0000-0000-0000-000000000002',
  '00000000-0000-0000-0000-0000000000ff',
  '00000000-0000-0000-0000-0000000000FF',
])('id_reserved: %s (decisions: tokens; INJ-01)', (id) => {
  expect(refusalOf(() => checkChosenId(id, 'AccessorID'))).toMatchObject({
    code: 'id_reserved',
    field: 'AccessorID',
  })
})

test('the first id after the reserved ones may be chosen', () => {
  expect(isReservedId('00000000-0000-0000-0000-000000000100')).toBe(false)
  expect(() => checkChosenId('00000000-0000-0000-0000-000000000100', 'AccessorID')).not.toThrow()
})

test('an id in a path: id_missing if empty, id_invalid if not a UUID', () => {
  expect(refusalOf(() => checkPathId('', 'token', 'AccessorID'))).toMatchObject({ code: 'id_missing' })
  expect(refusalOf(() => checkPathId('self/', 'token', 'AccessorID'))).toMatchObject({ code: 'id_invalid' })
  expect(() => checkPathId('00000000-0000-0000-0000-000000000002', 'token', 'AccessorID')).not.toThrow()
})
