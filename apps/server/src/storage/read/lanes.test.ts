import { expect, test } from 'vitest'
import { Lanes } from './lanes.ts'

test('DOS-05: concurrency is bounded by the number of lanes; the rest runs in order, also after a failure', async () => {
  const lanes = new Lanes(2)
  const ends: ((error?: Error) => void)[] = []
  const started: number[] = []
  const work = (n: number) =>
    lanes.run(() => {
      started.push(n)
      return new Promise<number>((resolve, reject) =>
        ends.push((error) => (error ? reject(error) : resolve(n))),
      )
    })
  const all = Promise.allSettled([0, 1, 2, 3, 4].map(work))
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  await turn()
  expect(started).toEqual([0, 1])
  ends[1]?.(new Error('the database is away'))
  await turn()
  expect(started).toEqual([0, 1, 2])
  ends[0]?.()
  ends[2]?.()
  await turn()
  expect(started).toEqual([0, 1, 2, 3, 4])
  ends[3]?.()
  ends[4]?.()
  expect((await all).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
})
