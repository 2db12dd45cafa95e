import { expect, test } from 'vitest'
import { TokenBuckets } from '../limits/token-buckets.ts'
import { LoginLimits } from './login-limits.ts'

let now = 0
const limitsOf = (perSecond: number) => new LoginLimits(perSecond, new TokenBuckets(() => now))

/** How many of several simultaneous logins are admitted. */
async function admitted(
  limits: LoginLimits,
  client: string | undefined,
  count: number,
  at: number,
  method = 'm',
) {
  now = at
  let passed = 0
  for (let i = 0; i < count; i += 1) {
    try {
      await limits.count(client, method)
      passed += 1
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_logins', details: { headers: { 'Retry-After': '1' } } })
    }
  }
  return passed
}

test('a client may burst five seconds’ worth of logins, and is then limited to its rate', async () => {
  const limits = limitsOf(20)
  expect(await admitted(limits, 'a', 200, 0)).toBe(100)
  expect(await admitted(limits, 'b', 5, 0)).toBe(5)
  expect(await admitted(limits, 'a', 200, 500)).toBe(10)
  expect(await admitted(limits, 'a', 200, 60_000)).toBe(100)
})

test('a clock that steps back refills nothing', async () => {
  const limits = limitsOf(20)
  expect(await admitted(limits, 'a', 200, 10_000)).toBe(100)
  expect(await admitted(limits, 'a', 200, 0)).toBe(0)
})

test('all clients of a method share a bound, including those without an address', async () => {
  const limits = limitsOf(1)
  expect(await admitted(limits, undefined, 1_000, 0)).toBe(250)
  expect(await admitted(limits, undefined, 1, 0, 'another')).toBe(1)
})

test('0 means no limit', async () => {
  expect(await admitted(limitsOf(0), 'a', 1_000, 0)).toBe(1_000)
})

test('DOS-05: 16 logins of one method run concurrently and 64 wait; further ones are refused, and other methods are not affected', async () => {
  const limits = limitsOf(0)
  let end = () => {}
  const provider = new Promise<void>((resolve) => {
    end = resolve
  })
  let running = 0
  const login = async () => {
    running += 1
    await provider
  }
  const logins = Array.from({ length: 80 }, () => limits.methodSemaphore('m').run(login))
  await expect(limits.methodSemaphore('m').run(login)).rejects.toMatchObject({
    code: 'unavailable',
    details: { headers: { 'Retry-After': '1' } },
  })
  expect(await limits.methodSemaphore('another').run(async () => running)).toBe(16)
  end()
  await Promise.all(logins)
  expect(running).toBe(80)
})
