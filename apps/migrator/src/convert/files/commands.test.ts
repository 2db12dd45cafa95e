import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commentOf, shellQuote } from './commands.ts'

const HOSTILE = `x'; touch y; "$(touch y)\`touch y\`\n\r\u2028\u202e\u0000中文`

test.each([
  ['plain-1', 'plain-1'],
  ["a'b", "'a'\\''b'"],
  ['', "''"],
  ['$(x)', "'$(x)'"],
])('%s is one argument', (text, quoted) => {
  expect(shellQuote(text)).toBe(quoted)
})

test('a name stays on its line, and its invisible characters are shown', () => {
  expect(commentOf(HOSTILE)).not.toMatch(/[\n\r\u2028\u202e\0]/)
  expect(commentOf('')).toBe('without name')
})

test.each([['--chekc'], ['--check', 'more']])('the script refuses the arguments %s %s', (...args) => {
  const script = new URL('apply.sh', import.meta.url).pathname
  const { status, stderr } = spawnSync('bash', [script, ...args], { encoding: 'utf8' })
  expect([status, stderr]).toEqual([2, expect.stringContaining('usage: ')])
})
