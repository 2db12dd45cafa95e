import { expect, test } from 'vitest'
import { SettingError } from '../config/setting.ts'
import { type Answerable, accessFilter, parseAccessChoice, SLOW_MS } from './access-choice.ts'
import { textLine } from './text-lines.ts'

const READ: Answerable = {
  method: 'GET',
  url: '/v1/acl/token/self',
  status: 200,
  endpoint: 'tokens.self',
  ms: 1,
}
const QUESTION: Answerable = {
  ...READ,
  method: 'POST',
  url: '/v1/internal/acl/authorize',
  endpoint: 'decisions.authorize',
}
const WRITE: Answerable = { ...READ, method: 'PUT', url: '/v1/kv/a', endpoint: 'kv.write' }

test('the access log has writes, refusals and slow requests; questions and blocking queries are reads', () => {
  const isLogged = accessFilter('writes')
  const logged: readonly [Answerable, boolean][] = [
    [READ, false],
    [QUESTION, false],
    [WRITE, true],
    [{ ...READ, status: 403 }, true],
    [{ ...READ, ms: SLOW_MS }, true],
    [{ ...READ, ms: SLOW_MS - 1 }, false],
    [{ ...READ, ms: 60_000, url: '/v1/acl/tokens?wait=1m&index=7' }, false],
    [{ ...WRITE, endpoint: undefined }, true],
  ]
  for (const [answer, expected] of logged) expect(isLogged?.(answer), JSON.stringify(answer)).toBe(expected)
})

test.each([
  ['all', 10],
  ['1/5', 2],
  ['1/1', 10],
  ['writes', 0],
])('LATCHKEY_ACCESS_LOG=%s logs %i of ten reads, and every write', (value, reads) => {
  const isLogged = accessFilter(parseAccessChoice(value))
  const answers = Array.from({ length: 10 }, () => [READ, WRITE]).flat()
  const logged = answers.filter((answer) => isLogged?.(answer))
  expect([
    logged.filter((answer) => answer === READ).length,
    logged.filter((answer) => answer === WRITE).length,
  ]).toEqual([reads, 10])
})

test('LATCHKEY_ACCESS_LOG=off logs nothing; other words are refused', () => {
  expect(accessFilter(parseAccessChoice('off'))).toBeUndefined()
  for (const value of ['1/0', '1/-1', '2/3', 'reads', '1/10000000', '']) {
    expect(() => parseAccessChoice(value), value).toThrow(SettingError)
  }
})

test('on a terminal, a line has the time of day, the level, what happened, and other fields; an error its stack', () => {
  const line = (fields: object) =>
    textLine(`${JSON.stringify({ time: '2026-11-23T08:00:00.000Z', pid: 1, ...fields })}\n`)
  expect(line({ level: 'warn', index: 5, msg: 'restored' })).toMatch(
    /^\d\d:\d\d:\d\d WARN {2}restored index=5\n$/,
  )
  const answer = {
    level: 'info',
    id: 'x',
    method: 'PUT',
    path: '/v1/kv/:Key',
    status: 200,
    ms: 1.4,
    accessor: 'a',
  }
  expect(line(answer)).toMatch(/ info {2}PUT \/v1\/kv\/:Key 200 in 1 ms accessor=a\n$/)
  expect(line({ level: 'error', msg: 'failed', err: { stack: 'Error: x\n  at y' } })).toMatch(
    /ERROR failed\n {2}Error: x\n {4}at y\n$/,
  )
  expect(textLine('not JSON\n')).toBe('not JSON\n')
  expect(textLine('a\u001b[2J\n')).toBe('a\ufffd[2J\n')
})

test('on a terminal, text from a client stays one field, and cannot control the terminal', () => {
  const agent = (value: string) => textLine(`${JSON.stringify({ level: 'info', msg: 'x', agent: value })}\n`)
  expect(agent('curl/8.5.0')).toMatch(/ agent=curl\/8\.5\.0\n$/)
  expect(agent('a accessor=b')).toMatch(/ agent="a accessor=b"\n$/)
  expect(agent('a\u009b31m\u202eb')).toMatch(/ agent=a\ufffd31m\ufffdb\n$/)
})
