/** Decisions: blocking queries; MEM-02. */
import { AclError } from '@latchkey/contract'
import { expect, test } from 'vitest'
import type { AnswerBody } from './call.ts'
import { isSame, type Shown, shownIn } from './shown.ts'

const shown = (body: AnswerBody): Shown => shownIn({ body })
const bytes = (text: string) => new TextEncoder().encode(text)

test.each<[string, AnswerBody, AnswerBody]>([
  ['values', { kind: 'json', value: { a: [1] } }, { kind: 'json', value: { a: [2] } }],
  ['texts', { kind: 'json-text', text: '{"a":1}' }, { kind: 'json-text', text: '{"a":2}' }],
  ['bytes', { kind: 'json-bytes', bytes: bytes('[1]') }, { kind: 'json-bytes', bytes: bytes('[2]') }],
  ['lengths', { kind: 'json-bytes', bytes: bytes('[1]') }, { kind: 'json-bytes', bytes: bytes('[1,2]') }],
  [
    'refusals',
    { kind: 'refusal', error: new AclError('not_found', 'x') },
    { kind: 'json-text', text: '{"a":1}' },
  ],
])('%s: the same is the same, in another copy too; something else is not', (_, one, other) => {
  const copy = one.kind === 'json-bytes' ? { ...one, bytes: one.bytes.slice() } : structuredCloneOf(one)
  expect(isSame(shown(one), shown(one))).toBe(true)
  expect(isSame(shown(copy), shown(one))).toBe(true)
  for (let again = 0; again < 2; again += 1) expect(isSame(shown(other), shown(one))).toBe(false)
})

function structuredCloneOf(body: AnswerBody): AnswerBody {
  return body.kind === 'json' ? { ...body, value: structuredClone(body.value) } : { ...body }
}

test('what was compared with one is not taken for the same as another', () => {
  const [a, b, copyOfA] = [bytes('a'), bytes('b'), bytes('a')]
  expect([isSame(copyOfA, a), isSame(copyOfA, b), isSame(copyOfA, a)]).toEqual([true, false, true])
})

test('what is too large to be held is never the same', () => {
  async function* pages(): AsyncGenerator<string> {}
  const stream = shown({ kind: 'json-stream', pages: pages() })
  expect(isSame(stream, stream)).toBe(false)
})

test('an answer of bytes is held, not copied', () => {
  const list = bytes('[]')
  expect(shown({ kind: 'json-bytes', bytes: list })).toBe(list)
})
