import { Directory, EMPTY_CONTENT } from '@latchkey/acl'
import { parseServiceVersion, profileOf, SERVICE_VERSION_NEWEST } from '@latchkey/contract'
import { aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import { many } from '@latchkey/testkit/rules/long-texts'
import { expect, test } from 'vitest'
import { FairQueue } from '../limits/fair-queue.ts'
import { Callers } from './caller.ts'

const profile = profileOf(parseServiceVersion(SERVICE_VERSION_NEWEST))
const OPTIONS = {
  aclEnabled: true,
  datacenter: 'dc1',
  defaultPolicy: 'deny',
  clock: { now: () => 0 },
  edition: 'standard',
  profile,
} as const

test('interrupted resolution of rights is retried', async () => {
  let turns = 0
  const next = async () => {
    turns += 1
    if (turns === 1) throw new Error('interrupted')
  }
  const callers = new Callers(OPTIONS, { next })
  const Rules = `${many(100_000, (i) => `key "${i}" { policy = "read" }\n`)}acl = "read"`
  const policy = aPolicy({ Rules })
  const token = aToken({ Policies: [{ ID: policy.ID }] })
  const directory = new Directory({ ...EMPTY_CONTENT, policies: [policy] }, 1)
  await expect(callers.rightsOf(token, directory)).rejects.toThrow('interrupted')
  expect((await callers.rightsOf(token, directory)).authorizer.aclRead).toBe(true)
})

test('rights that are still being resolved are not used for a request made after they were revoked (COH-02)', async () => {
  const callers = new Callers(OPTIONS, new FairQueue())
  const policy = aPolicy({ Rules: 'acl = "read"' })
  const token = aToken({ Policies: [{ ID: policy.ID }] })
  const directory = (version: number, Rules: string) => {
    const record = { ...policy, Rules, ModifyIndex: version }
    return new Directory({ ...EMPTY_CONTENT, policies: [record] }, version)
  }
  const found = await Promise.all([
    callers.rightsOf(token, directory(1, policy.Rules)),
    callers.rightsOf(token, directory(2, '')),
  ])
  expect(found.map(({ authorizer }) => authorizer.aclRead)).toEqual([true, false])
})
