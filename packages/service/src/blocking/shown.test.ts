/** Decisions: blocking queries; MEM-02. */
import { AclError } from '@latchkey/contract'
import { expect, test } from 'vitest'
import type { AnswerBody } from '../handler.ts'
import { type JsonElements, jsonBytes, jsonText } from '../reply/json-text.ts'
import { isSame, type Shown, shownIn } from './shown.ts'

const shown = (body: AnswerBody): Shown => shownIn({ body })
const text = (value: unknown) => ({ kind: 'json-text', text: jsonText(value) }) as const
const bytes = (value: unknown) => ({ kind: 'json-bytes', bytes: jsonBytes(jsonText(value)) }) as const
const other = (letter: string) => new TextEncoder().encode(letter)

test.each<[string, AnswerBody, AnswerBody]>([
  ['values', { kind: 'json', value: { a: [1] } }, { kind: 'json', value: { a: [2] } }],
  ['texts', text({ a: 1 }), text({ a: 2 })],
  ['long texts, of one length', text(`${'x'.repeat(2_000)}1`), text(`${'x'.repeat(2_000)}2`)],
  ['bytes', bytes([1]), bytes([2])],
  ['lengths', bytes(12), bytes(1)],
  ['refusals', { kind: 'refusal', error: new AclError('not_found', 'x') }, text({ a: 1 })],
])('%s: equal content is the same, even in another copy; other content is not', (_, one, other) => {
  const copy = copyOf(one)
  expect(isSame(shown(one), shown(one))).toBe(true)
  expect(isSame(shown(copy), shown(one))).toBe(true)
  for (let again = 0; again < 2; again += 1) expect(isSame(shown(other), shown(one))).toBe(false)
})

function copyOf(body: AnswerBody): AnswerBody {
  if (body.kind === 'json') return { ...body, value: structuredClone(body.value) }
  return body.kind === 'json-bytes' ? bytes(JSON.parse(new TextDecoder().decode(body.bytes))) : { ...body }
}

test('a cached comparison is only used for its own pair', () => {
  const [a, b, copyOfA] = [other('a'), other('b'), other('a')]
  expect([isSame(copyOfA, a), isSame(copyOfA, b), isSame(copyOfA, a)]).toEqual([true, false, true])
})

test('an answer too large to keep is never equal', () => {
  async function* pages(): AsyncGenerator<JsonElements<unknown>> {}
  const stream = shown({ kind: 'json-stream', pages: pages() })
  expect(isSame(stream, stream)).toBe(false)
})

test('bytes are kept without a copy', () => {
  const list = bytes([])
  expect(shown(list)).toBe(list.bytes)
})
