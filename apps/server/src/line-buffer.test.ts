import { expect, test, vi } from 'vitest'
import { LineBuffer } from './line-buffer.ts'

const NOWHERE = -1

test('lines leave in order, many per write, of any length and in any script', () => {
  const pieces: Buffer[] = []
  const buffer = new LineBuffer({ write: (piece) => pieces.push(piece) }, NOWHERE)
  const lines = Array.from({ length: 1_000 }, (_, i) => `${String(i).padStart(199, ' ')}\n`)
  const long = ['\u20ac'.repeat(21_845), '\u{1f511}'.repeat(10_922), 'x'.repeat(200_000)].map(
    (text) => `${text}\n`,
  )
  const all = [...lines, 'caf\u00e9\n', ...long, ...lines]
  for (const line of all) buffer.write(line)
  buffer.flush(() => {})
  expect(pieces.length).toBeLessThan(16)
  expect(Buffer.concat(pieces).toString()).toBe(all.join(''))
})

test('a single line leaves within a quarter of a second', () => {
  vi.useFakeTimers()
  try {
    const pieces: string[] = []
    const buffer = new LineBuffer({ write: (piece) => pieces.push(String(piece)) }, NOWHERE)
    buffer.write('one\n')
    expect(pieces).toEqual([])
    vi.advanceTimersByTime(250)
    expect(pieces).toEqual(['one\n'])
    vi.advanceTimersByTime(1_000)
    expect(pieces).toEqual(['one\n'])
  } finally {
    vi.useRealTimers()
  }
})

test('a flush is done when the stream reports it', () => {
  const done = vi.fn()
  const asked: (() => void)[] = []
  const buffer = new LineBuffer({ write: () => {}, flush: (whenDone) => asked.push(whenDone) }, NOWHERE)
  buffer.flush(done)
  expect(done).not.toHaveBeenCalled()
  for (const tell of asked) tell()
  expect(done).toHaveBeenCalledOnce()
})
