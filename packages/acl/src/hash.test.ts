import { expect, test } from 'vitest'
import { policyHash, roleHash } from './hash.ts'

test('a policy hashes as in a real service; fields are joined without separators, so a role hashes like it', () => {
  const hash = 'I8eFXB/heIM2e4kpbOU9RTIUEZqr5BGYwR2RCQptvZg='
  const fields = { Name: 'p2', Description: '' }
  expect(policyHash({ ...fields, Rules: '', Datacenters: undefined })).toBe(hash)
  expect(roleHash({ ...fields, Policies: [], ServiceIdentities: [], NodeIdentities: [] })).toBe(hash)
})
