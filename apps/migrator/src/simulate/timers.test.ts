import { expect, test } from 'vitest'
import { newModes, resultOf, threeServers } from '../../test/scenario.ts'
import { lookDelayMs } from './models/service-model.ts'

test('a server looks at 0.05, 0.15, 0.35 … 51.15 s after its start, then every 30 s', () => {
  let at = 0
  const looks = Array.from({ length: 13 }, (_, n) => {
    at += lookDelayMs(n)
    return at / 1_000
  })
  expect(looks).toEqual([
    0.05, 0.15, 0.35, 0.75, 1.55, 3.15, 6.35, 12.75, 25.55, 51.15, 81.15, 111.15, 141.15,
  ])
})

test('the leader leaves at its first look after the last server is up, with any leader', () => {
  const datacenters = [
    {
      name: 'dc1',
      servers: [
        { id: 's1', start: 0 },
        { id: 's2', start: 10 },
        { id: 's3', start: 20, leader: true },
      ],
    },
  ]
  // s3 looks at 20.05 and finds all members; s1 next looks at 25.55, s2 at 22.75.
  expect(newModes({ datacenters })).toEqual({ s1: 25.55, s2: 22.75, s3: 20.05 })
})

test('a message arrives in the next millisecond: followers that look with their leader wait', () => {
  expect(newModes({ datacenters: threeServers(0, 0, 0) })).toEqual({ s1: 0.05, s2: 0.15, s3: 0.15 })
})

test.each([
  { gossipDelay: 0.1, s3: 26.35 },
  { gossipDelay: 0.8, s3: 26.35 },
  { gossipDelay: 0.801, s3: 32.75 },
])(
  'a follower leaves at its own next look after the tag of its leader arrives: $gossipDelay s',
  ({ gossipDelay, s3 }) => {
    expect(newModes({ gossipDelay, datacenters: threeServers(0, 10, 20) }).s3).toBe(s3)
  },
)

test('a server that wins an election looks at once', () => {
  const modes = newModes({
    electionTime: 2,
    datacenters: threeServers(0, 10, 20),
    events: [{ kind: 'crash', at: 21, server: 's1' }],
    version: '1.8.7',
  })
  // s2 wins at 23, two seconds after the leader died; s3 follows at its next look.
  expect(modes).toEqual({ s1: null, s2: 23, s3: 23.15 })
})

test('every restart begins in legacy mode again', () => {
  const { servers } = resultOf({
    datacenters: threeServers(0, 0, 0),
    events: [{ kind: 'restart', at: 100, server: 's2' }],
  })
  expect(servers.s2?.legacyMode).toEqual([
    { from: 0, to: 0.15 },
    { from: 100, to: 100.05 },
  ])
})

test('a paused server looks when it resumes, and its timer restarts there', () => {
  const modes = newModes({
    datacenters: threeServers(0, 10, 20),
    events: [{ kind: 'pause', at: 24, server: 's2', for: 3 }],
  })
  // s2 looks at 22.75 and 35.55 and was paused only in between, so no look fell due.
  expect(modes.s2).toBe(35.55)
  const late = newModes({
    datacenters: threeServers(0, 10, 20),
    events: [{ kind: 'pause', at: 34, server: 's2', for: 3 }],
  })
  expect(late.s2).toBe(37)
})
