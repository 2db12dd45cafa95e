import { aToken } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { authorOf, showLineage } from './lineage.ts'

const AccessorID = '11111111-2222-4333-8444-555555555555'

test.each([
  [{ AccessorID }, { AccessorID }],
  [
    { AccessorID, AuthMethod: 'oidc', LoginIdentity: 'a/b:c' },
    { AuthMethod: 'oidc', Identity: 'a/b:c' },
  ],
  [
    { AccessorID, AuthMethod: 'oidc', AuthMethodNamespace: 'team', LoginIdentity: 'jane' },
    { AuthMethod: 'oidc', AuthMethodNamespace: 'team', Identity: 'jane' },
  ],
])('a caller with %j is shown as its accessor, or as who logged in', (fields, author) => {
  const CreatedBy = authorOf(aToken(fields))
  const namespace = 'AuthMethod' in author ? { AuthMethodNamespace: 'default' } : {}
  expect(showLineage({ CreatedBy }, true)).toEqual({ CreatedBy: { ...namespace, ...author } })
  expect(showLineage({ CreatedBy }, false).CreatedBy).not.toHaveProperty('AuthMethodNamespace')
})

test('an unknown author is not shown, nor is a legacy caller without an accessor', () => {
  expect(showLineage({}, true)).toEqual({})
  expect(showLineage({ CreatedBy: authorOf(aToken({ AccessorID: '' })) }, true)).toEqual({})
})
