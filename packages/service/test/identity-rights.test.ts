/** INJ-04: the name of an identity cannot widen the rules generated from it. */

import { isIdentityName } from '@latchkey/acl'
import { aWorld } from '@latchkey/testkit/service/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'

const CHARACTERS = [...'ab01-_*/"{}$\\ \n.']
/** Mostly texts with a character that names must not have. */
const text = fc
  .array(fc.constantFrom(...CHARACTERS), { minLength: 1, maxLength: 6 })
  .map((all) => all.join(''))
const name = fc
  .array(fc.constantFrom(...'ab01-_'), { minLength: 1, maxLength: 6 })
  .map((all) => all.join(''))
  .filter(isIdentityName)

test('INJ-04: a service identity may write its own service and its proxy, and none with a similar name', async () => {
  const world = await aWorld()
  await fc.assert(
    fc.asyncProperty(name, fc.array(text, { maxLength: 8 }), async (ServiceName, others) => {
      const { SecretID: token } = await world.token({ ServiceIdentities: [{ ServiceName }] })
      const own = [ServiceName, `${ServiceName}-sidecar-proxy`]
      const near = [`${ServiceName}a`, ServiceName.slice(0, -1), `${ServiceName}-`, `${ServiceName}/a`, '*']
      const segments = [...own, ...near, ...others].filter((segment) => segment !== '')
      const body = segments.map((Segment) => ({ Resource: 'service', Segment, Access: 'write' }))
      const { json } = await world.ask('POST', '/internal/acl/authorize', { token, body })
      const allowed = segments.filter((_, i) => (json as { Allow: boolean }[])[i]?.Allow)
      expect(new Set(allowed)).toEqual(new Set(own))
    }),
    { numRuns: 300 },
  )
})
