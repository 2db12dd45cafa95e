import { AclError, parseServiceVersion, profileOf } from '@latchkey/contract'
import { expect, test } from 'vitest'
import {
  type IntentionsLook,
  initialIntentions,
  intentionsSecondsLeft,
  nextIntentionsStep,
  requireWritable,
} from './migrate-intentions.ts'

const NOW = 1_000_000
const able = { node: 'a', version: '1.9.0', status: 'alive', keepsIntentions: true } as const
const old = { node: 'b', version: '1.8.7', status: 'failed', keepsIntentions: false } as const

const look = (fields: Partial<IntentionsLook> = {}): IntentionsLook => ({
  recorded: undefined,
  servers: [able],
  primary: 'is-here',
  destinations: 101,
  now: NOW,
  ...fields,
})

test('waits for alive and failed servers, looks every 5 s, and records the wait once (spec 9.5.1)', () => {
  const first = nextIntentionsStep(look({ servers: [able, old] }), 0)
  expect(first).toEqual({
    record: {
      state: 'waiting',
      since: NOW,
      waitsFor: [
        'server b (version 1.8.7) to run 1.9.0 or later, or to leave (PUT /v1/agent/force-leave/b if it will not return)',
      ],
    },
    nextMs: 5_000,
  })
  const again = look({ servers: [able, old], recorded: first.record, now: NOW + 5_000 })
  expect(nextIntentionsStep(again, 0)).toEqual({ record: undefined, nextMs: 5_000 })
  const left = look({ servers: [able, { ...old, status: 'left' }], recorded: first.record })
  expect(nextIntentionsStep(left, 0).record?.state).toBe('migrating')
})

test('takes 10 ms per destination after the first, and starts over with another server', () => {
  const { record, nextMs } = nextIntentionsStep(look(), NOW)
  expect([record, nextMs]).toEqual([{ state: 'migrating', since: NOW }, 1_000])
  const later = (ms: number) => look({ recorded: record, now: NOW + ms })
  expect(nextIntentionsStep(later(999), NOW)).toEqual({ record: undefined, nextMs: 1 })
  expect(nextIntentionsStep(later(1_000), NOW).record).toEqual({ state: 'done', since: NOW + 1_000 })
  expect(nextIntentionsStep(later(1_000), NOW + 1).record).toEqual({ state: 'migrating', since: NOW + 1_000 })
  expect(intentionsSecondsLeft(record, { destinations: 101, now: NOW + 400 })).toBe(0.6)
})

test('without intentions it is done at once, and for ever', () => {
  const { record, nextMs } = nextIntentionsStep(look({ destinations: 0 }), NOW)
  expect([record, nextMs]).toEqual([{ state: 'done', since: NOW }, undefined])
  const after = look({ recorded: record, servers: [old], now: NOW + 1 })
  expect(nextIntentionsStep(after, NOW)).toEqual({ record: undefined, nextMs: undefined })
})

test('a secondary waits for its primary, and then has nothing to do (spec 9.5.1)', () => {
  const waits = (state: string | undefined) =>
    nextIntentionsStep(look({ primary: { state } }), NOW).record?.waitsFor
  expect(waits(undefined)).toEqual(['the primary datacenter to be reachable'])
  expect(waits('migrating')).toEqual(['the primary datacenter to migrate its intentions'])
  expect(nextIntentionsStep(look({ primary: { state: 'done' } }), NOW).record?.state).toBe('done')
})

test('503 intentions_migrating with Retry-After until the end; before it, entries alone (spec 9.5.2)', () => {
  const code = (state: 'waiting' | 'migrating' | 'done' | undefined, by: 'id' | 'entry') => {
    try {
      requireWritable(state && { state, since: 0 }, by)
      return undefined
    } catch (error) {
      return error instanceof AclError && error.details.headers?.['Retry-After'] !== undefined
        ? error.code
        : error
    }
  }
  expect([code(undefined, 'id'), code(undefined, 'entry')]).toEqual([undefined, 'intentions_migrating'])
  for (const by of ['id', 'entry'] as const) {
    expect(code('waiting', by)).toBe('intentions_migrating')
    expect(code('migrating', by)).toBe('intentions_migrating')
    expect(code('done', by)).toBeUndefined()
  }
})

test('new data of 1.9.0 or later has nothing to migrate', () => {
  const initial = (version: string) => initialIntentions(profileOf(parseServiceVersion(version)), NOW)
  expect([initial('1.8.9'), initial('1.9.0')?.state]).toEqual([undefined, 'done'])
})
