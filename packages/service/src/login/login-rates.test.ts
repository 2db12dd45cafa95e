import { expect, test } from 'vitest'
import { TokenBuckets } from '../token-buckets.ts'
import { LoginRates } from './login-rates.ts'

let now = 0
const ratesOf = (perSecond: number) => new LoginRates(perSecond, new TokenBuckets(() => now))

/** How many of several simultaneous logins are admitted. */
async function admitted(
  rates: LoginRates,
  client: string | undefined,
  count: number,
  at: number,
  method = 'm',
) {
  now = at
  let passed = 0
  for (let i = 0; i < count; i += 1) {
    try {
      await rates.count(client, method)
      passed += 1
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_logins', details: { headers: { 'Retry-After': '1' } } })
    }
  }
  return passed
}

test('a client may burst five seconds’ worth of logins, and is then limited to its rate', async () => {
  const rates = ratesOf(20)
  expect(await admitted(rates, 'a', 200, 0)).toBe(100)
  expect(await admitted(rates, 'b', 5, 0)).toBe(5)
  expect(await admitted(rates, 'a', 200, 500)).toBe(10)
  expect(await admitted(rates, 'a', 200, 60_000)).toBe(100)
})

test('a clock that steps back refills nothing', async () => {
  const rates = ratesOf(20)
  expect(await admitted(rates, 'a', 200, 10_000)).toBe(100)
  expect(await admitted(rates, 'a', 200, 0)).toBe(0)
})

test('all clients of a method share a bound, including those without an address', async () => {
  const rates = ratesOf(1)
  expect(await admitted(rates, undefined, 1_000, 0)).toBe(250)
  expect(await admitted(rates, undefined, 1, 0, 'another')).toBe(1)
})

test('0 means no limit', async () => {
  expect(await admitted(ratesOf(0), 'a', 1_000, 0)).toBe(1_000)
})

test('DOS-05: 16 logins of one method run concurrently and 64 wait; further ones are refused, and other methods are not affected', async () => {
  const rates = ratesOf(0)
  let end = () => {}
  const provider = new Promise<void>((resolve) => {
    end = resolve
  })
  let running = 0
  const login = async () => {
    running += 1
    await provider
  }
  const logins = Array.from({ length: 80 }, () => rates.run('m', login, undefined))
  await expect(rates.run('m', login, undefined)).rejects.toMatchObject({
    code: 'unavailable',
    details: { headers: { 'Retry-After': '1' } },
  })
  expect(await rates.run('another', async () => running, undefined)).toBe(16)
  end()
  await Promise.all(logins)
  expect(running).toBe(80)
})
