import type { CreateToken } from '@latchkey/contract'
import { aDirectory, countingRandom } from '@latchkey/testkit/records/context'
import { aRole } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { expect, test } from 'vitest'
import { createToken } from './create-token.ts'

const NOW = Date.parse('2028-02-29T11:59:30.25Z')
const directory = aDirectory({ roles: [aRole({ Name: 'ops' })] })

/** In the order of the reference. */
const BROKEN: readonly (readonly [CreateToken, code: string, field: string])[] = [
  [{ AccessorID: 'nope' }, 'id_invalid', 'AccessorID'],
  [{ AccessorID: '00000000-0000-0000-0000-0000000000aa' }, 'id_reserved', 'AccessorID'],
  [{ SecretID: 'nope' }, 'id_invalid', 'SecretID'],
  [{ SecretID: '00000000-0000-0000-0000-000000000001' }, 'id_reserved', 'SecretID'],
  [{ AuthMethod: 'oidc' }, 'field_invalid', 'AuthMethod'],
  [{ ExpirationTTL: -1, ExpirationTime: 5 }, 'expiration_out_of_bounds', 'ExpirationTTL'],
  [{ ExpirationTTL: 1, ExpirationTime: 5 }, 'expiration_conflict', 'ExpirationTTL'],
  [{ ExpirationTime: NOW - 1 }, 'expiration_out_of_bounds', 'ExpirationTime'],
  [{ Policies: [{ Name: 'nobody' }] }, 'link_unknown', 'Policies[0]'],
  [{ Roles: [{ Name: 'ops' }, { Name: 'nobody' }] }, 'link_unknown', 'Roles[1]'],
  [
    { Local: true, ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc1'] }] },
    'field_invalid',
    'ServiceIdentities[0].Datacenters',
  ],
  [
    { NodeIdentities: [{ NodeName: 'n1', Datacenter: '' }] },
    'field_required',
    'NodeIdentities[0].Datacenter',
  ],
  [{ Rules: 'acl = "write"' }, 'field_invalid', 'Rules'],
]

test('the error names the first broken rule', () => {
  for (const [i, [first, code, field]] of BROKEN.entries()) {
    const later: CreateToken[] = BROKEN.slice(i).map(([request]) => request)
    const request = Object.assign({}, ...later.reverse(), first)
    const context = { now: NOW, random: countingRandom(), directory, namespace: 'default' }
    const refusal = refusalOf(() => createToken(request, context))
    expect(refusal).toMatchObject({ code, field })
    expect(refusal.message).not.toContain('nope')
  }
})
