import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Semaphore, type Share, WAITING_MAX } from './semaphore.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Runs named work until the test ends it. */
function aSemaphore(permits: number) {
  const semaphore = new Semaphore(permits)
  const begun: string[] = []
  const ends = new Map<string, (error?: Error) => void>()
  const run = (name: string, options: Parameters<typeof semaphore.run>[1] = {}) =>
    semaphore.run(() => {
      begun.push(name)
      return new Promise<string>((resolve, reject) =>
        ends.set(name, (error) => (error ? reject(error) : resolve(name))),
      )
    }, options)
  const end = async (name: string, error?: Error) => {
    ends.get(name)?.(error)
    await turn()
  }
  return { semaphore, begun, run, end }
}

test('DOS-05: concurrency is bounded; the rest runs in order, also after a failure', async () => {
  const { begun, run, end } = aSemaphore(2)
  const all = Promise.allSettled(['a', 'b', 'c', 'd'].map((name) => run(name)))
  expect(begun).toEqual(['a', 'b'])
  await end('b', new Error('the database is away'))
  expect(begun).toEqual(['a', 'b', 'c'])
  await end('a')
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
  await end('c')
  await end('d')
  expect((await all).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled'])
})

test('DOS-05: work aborted while it waits never begins, and leaves its place', async () => {
  const { semaphore, begun, run, end } = aSemaphore(1)
  const client = new AbortController()
  const first = run('first')
  const waiting = Array.from({ length: WAITING_MAX }, () => run('left', { signal: client.signal }))
  await expect(run('surplus')).rejects.toMatchObject({
    code: 'unavailable',
    details: { headers: { 'Retry-After': '1' } },
  })
  client.abort()
  for (const { status } of await Promise.allSettled(waiting)) expect(status).toBe('rejected')
  await expect(semaphore.acquire({ signal: client.signal })).rejects.toMatchObject({ code: 'unavailable' })
  const third = run('third')
  await end('first')
  await end('third')
  expect([await first, await third, begun]).toEqual(['first', 'third', ['first', 'third']])
})

test('DOS-02: who waits too long is refused, and makes way for others', async () => {
  const semaphore = new Semaphore(4)
  const release = semaphore.tryAcquire({ permits: 3 })
  const large = semaphore.acquire({ permits: 4, shares: [{ key: 'a', max: 4 }], waitMsMax: 1_000 })
  const refused = expect(large).rejects.toMatchObject({ code: 'unavailable' })
  vi.advanceTimersByTime(1_000)
  await refused
  expect(semaphore.tryAcquire()).toBeDefined()
  expect(semaphore.tryAcquire()).toBeUndefined()
  release?.()
  release?.()
  expect(semaphore.tryAcquire({ permits: 3 })).toBeDefined()
  expect(semaphore.tryAcquire()).toBeUndefined()
})

const ofA: readonly Share[] = [{ key: 'a', max: 3 }]
const ofB: readonly Share[] = [{ key: 'b', max: 3 }]

test('DOS-02: the shares that hold least go first; a share that is used up delays no other', async () => {
  const { semaphore, begun, run, end } = aSemaphore(4)
  for (const name of ['a1', 'a2', 'a3', 'a4']) void run(name, { shares: ofA })
  expect([begun, semaphore.isAwaited(ofA), semaphore.isAwaited(ofB)]).toEqual([
    ['a1', 'a2', 'a3'],
    true,
    false,
  ])
  for (const name of ['b1', 'b2']) void run(name, { shares: ofB })
  await turn()
  expect([begun, semaphore.isAwaited(ofB)]).toEqual([['a1', 'a2', 'a3', 'b1'], true])
  for (const name of ['a1', 'a2', 'a3']) await end(name)
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'b2', 'a4'])
})

test('a share of what is free leaves permits for others, however many shares there are', () => {
  const semaphore = new Semaphore(8)
  const half = (key: string) => ({ shares: [{ key, max: (free: number) => Math.ceil(free / 2) }] })
  const takenBy = (key: string) => {
    let count = 0
    while (semaphore.tryAcquire(half(key))) count += 1
    return count
  }
  expect(['a', 'b', 'c', 'd'].map(takenBy)).toEqual([3, 2, 1, 1])
})

test('DOS-02: if too many wait, the shares that demand most lose their last place', async () => {
  const { semaphore, run, end } = aSemaphore(1)
  void run('first')
  const waiting = Array.from({ length: WAITING_MAX }, () => semaphore.acquire({ shares: ofA }))
  void semaphore.acquire({ shares: ofB })
  await expect(waiting.at(-1)).rejects.toMatchObject({ code: 'unavailable' })
  await expect(semaphore.acquire({ shares: ofA })).rejects.toMatchObject({ code: 'unavailable' })
  await end('first')
  await waiting[0]
  expect(semaphore.isAwaited(ofB)).toBe(true)
})
