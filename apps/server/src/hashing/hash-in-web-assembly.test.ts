import { policyHash } from '@latchkey/acl'
import { SeededRandom } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { hashInWebAssembly } from './hash-in-web-assembly.ts'

test('hashes are the same in WebAssembly', async () => {
  const random = new SeededRandom(1)
  const texts = Array.from({ length: 200 }, () =>
    'aé\u{1f511}'.repeat(random.below(200)).slice(random.below(5)),
  )
  const hashes = () =>
    texts.map((Rules) => policyHash({ Name: 'a', Description: '', Rules, Datacenters: undefined }))
  const before = hashes()
  await hashInWebAssembly()
  expect(hashes()).toEqual(before)
})
