import { aToken } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { expect, test } from 'vitest'
import { ANONYMOUS_TOKEN_ACCESSOR_ID, ANONYMOUS_TOKEN_SECRET_ID } from '../builtin.ts'
import { checkDelete } from './delete-token.ts'

const caller = aToken()

test('delete_refused: the anonymous token, and the token that the request presents (decisions: tokens)', () => {
  const anonymous = aToken({
    AccessorID: ANONYMOUS_TOKEN_ACCESSOR_ID,
    SecretID: ANONYMOUS_TOKEN_SECRET_ID,
  })
  expect(refusalOf(() => checkDelete(anonymous, caller)).code).toBe('delete_refused')
  expect(refusalOf(() => checkDelete({ ...caller, ModifyIndex: 9 }, caller)).code).toBe('delete_refused')
})

test('any other token may be deleted', () => {
  expect(() => checkDelete(aToken(), caller)).not.toThrow()
})
