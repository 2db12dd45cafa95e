import { expect, test } from 'vitest'
import { coloured, unchecked, visible, visibleJson, visibleLine } from './terminal.ts'

const RED = [31, 39] as const
const HOSTILE = '\u001b]0;title\u0007\u001b[2J\u009b31m\u007f\r\b\u202e\u2066\u200f\u061c\u0000'

test('no control or bidirectional character passes, and every other one does', () => {
  expect(visible(HOSTILE)).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
  const text = 'a\tb\nc – ü 中 \u{1f600} \u00a0 \ufeff'
  expect(visible(text)).toBe(text)
  expect(visibleLine(text)).not.toContain('\n')
})

test('own colours pass, alone and around other texts, but not those of other texts', () => {
  expect(visible(coloured('a', RED))).toBe('\u001b[31ma\u001b[39m')
  expect(visible(coloured(`a${coloured('b', [1, 22])}`, RED))).toBe(
    '\u001b[31ma\u001b[1mb\u001b[22m\u001b[39m',
  )
  expect(visible(coloured('\u001b[31m', RED))).toBe('\u001b[31m\ufffd[31m\u001b[39m')
  expect(unchecked(coloured('\u001b[2J', RED))).toBe('\u001b[31m\u001b[2J\u001b[39m')
})

test('JSON keeps its meaning', () => {
  const json = JSON.stringify({ text: HOSTILE }, null, 2)
  expect(visibleJson(json)).not.toMatch(/[\u007f-\u009f\p{Bidi_Control}]/u)
  expect(JSON.parse(visibleJson(json))).toEqual({ text: HOSTILE })
})

test('misuse is an error, not a text', () => {
  expect(() => visible(undefined as unknown as string)).toThrow(TypeError)
})
