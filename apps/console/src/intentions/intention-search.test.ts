import type { Intention } from '@latchkey/sdk'
import { expect, test } from 'vitest'
import { decidingIntention } from './intention-search.ts'

const intention = (SourceName: string, SourceNS = 'default'): Intention => ({
  ...{ SourceNS, SourceName, DestinationNS: 'default', DestinationName: 'orders', SourceType: 'consul' },
  ...{ Description: '', Precedence: 9, CreateIndex: 1, ModifyIndex: 1 },
})

test('the first intention that matches the source decides', () => {
  const matches = [intention('shop'), intention('shop', 'team'), intention('*')]
  expect(decidingIntention(matches, 'shop')).toBe(matches[0])
  expect(decidingIntention(matches, 'team/shop')).toBe(matches[1])
  expect(decidingIntention(matches, 'cron')).toBe(matches[2])
  expect(decidingIntention(matches, 'team/cron')).toBeUndefined()
})
