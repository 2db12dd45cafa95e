import { expect, test } from 'vitest'
import { Semaphore } from '../limits/semaphore.ts'
import { makeLongText, toBase64 } from './kv-entry.ts'

test("base64 of values of every length and byte equals the platform's", () => {
  for (let length = 0; length < 600; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) % 256)
    expect(toBase64(bytes)).toBe(btoa(String.fromCharCode(...bytes)))
  }
})

test('DOS-04: a long text waits for its semaphore, then for readers, then for a turn', async () => {
  const events: string[] = []
  const longTexts = new Semaphore(1)
  const step = async (name: string) => void events.push(name)
  const call = {
    longTexts,
    turns: { next: () => step('turn') },
    service: { roomForText: () => step('room') },
  }
  await Promise.all(['first', 'second'].map((name) => makeLongText(call, () => step(name))))
  expect(events).toEqual(['room', 'turn', 'first', 'room', 'turn', 'second'])
})
