import { expect, test } from 'vitest'
import { LoginRates } from './login-rates.ts'

/** The number of logins that are admitted, out of several at one instant. */
function admitted(rates: LoginRates, client: string | undefined, count: number, now: number, method = 'm') {
  let passed = 0
  for (let i = 0; i < count; i += 1) {
    try {
      rates.count(client, method, now)
      passed += 1
    } catch (error) {
      expect(error).toMatchObject({ code: 'too_many_logins', details: { headers: { 'Retry-After': '1' } } })
    }
  }
  return passed
}

test('a client may burst five seconds’ worth of logins, and is then limited to its rate', () => {
  const rates = new LoginRates(20)
  expect(admitted(rates, 'a', 200, 0)).toBe(100)
  expect(admitted(rates, 'b', 5, 0)).toBe(5)
  expect(admitted(rates, 'a', 200, 500)).toBe(10)
  expect(admitted(rates, 'a', 200, 60_000)).toBe(100)
})

test('a clock that steps back refills nothing', () => {
  const rates = new LoginRates(20)
  expect(admitted(rates, 'a', 200, 10_000)).toBe(100)
  expect(admitted(rates, 'a', 200, 0)).toBe(0)
})

test('all clients of a method share a bound, including those without an address', () => {
  const rates = new LoginRates(1)
  expect(admitted(rates, undefined, 1_000, 0)).toBe(250)
  expect(admitted(rates, undefined, 1, 0, 'another')).toBe(1)
})

test('0 means no limit', () => {
  expect(admitted(new LoginRates(0), 'a', 1_000, 0)).toBe(1_000)
})

test('DOS-05: of one method 16 logins run at once and 64 wait; others are refused, and another method is free', async () => {
  const rates = new LoginRates(0)
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
