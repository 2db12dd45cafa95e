import { expect, test } from 'vitest'
import { toBase64 } from './kv-entry.ts'

test('base64 of values of every length and every byte is that of the platform', () => {
  for (let length = 0; length < 600; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 31 + length) % 256)
    expect(toBase64(bytes)).toBe(btoa(String.fromCharCode(...bytes)))
  }
})
