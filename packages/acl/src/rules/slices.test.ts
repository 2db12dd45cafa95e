import { many } from '@latchkey/testkit/rules/long-texts'
import { WorkMeter } from '@latchkey/testkit/service/work-meter'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Sliced } from '../turns.ts'
import { findLint } from './insight/lint-rules.ts'
import { readRules } from './language/parse-rules.ts'
import { translateInSlices } from './print/translate-legacy-rules.ts'

/** Pieces per text: enough for many slices. */
const LENGTH = 8_192
/** Executed code blocks per slice: a few milliseconds. Without slices, a text takes ten times as many. */
const BLOCKS_PER_SLICE_MAX = 80_000

const TEXTS: Readonly<Record<string, string>> = {
  rules: many(LENGTH, (i) => `key "${i}"{policy="deny"}\n`),
  'rules in one block': `key {${many(LENGTH, (i) => `"${i}"{policy="deny"}\n`)}}`,
  'aligned attributes': `a {\n${many(LENGTH, () => 'a=1\n')}}`,
  'nested blocks': `a {${many(LENGTH, () => 'a{}')}}`,
  'a list on one line': `a=[${many(LENGTH, () => '1,')}]`,
  'a list on many lines': `a=[${many(LENGTH, () => '1,\n')}]`,
  comments: many(LENGTH, () => '#\n'),
  'comments in a list': `a=[${many(LENGTH, () => '#\n1,\n')}]`,
  'one comment of many lines': `/*${'\n'.repeat(LENGTH)}*/`,
  'a here-document that seems to end on each line': `a = <<E\n${many(LENGTH, () => 'Ex\n')}E\n`,
  'a string of bytes': `key "${many(LENGTH, () => '\\x41')}"{policy="read"}`,
  'rules in JSON': `{"key":{${many(LENGTH, (i) => `"\\u0041${i}":{"policy":"read"},`).slice(0, -1)}}}`,
  'objects in JSON': `{"a":[${many(LENGTH, () => '{},')}{}]}`,
  'a list in JSON': `{"a":[${many(LENGTH, () => '1,')}1]}`,
}

const meter = new WorkMeter()
beforeAll(() => meter.start())
afterAll(() => meter.stop())

async function longestSlice(work: Sliced<unknown>): Promise<number> {
  let most = 0
  await meter.take()
  for (let isDone = false; !isDone; most = Math.max(most, await meter.take()))
    isDone = work.next().done === true
  return most
}

test.each(Object.entries(TEXTS))(
  'DOS-05: parsing, lint and translation of a text run in short slices: %s',
  async (_, text) => {
    const read = await longestSlice(readRules(text, { lenient: true }))
    const lint = await longestSlice(findLint(text))
    const translation = await longestSlice(translateInSlices(text, { widening: 'comment-out' }))
    expect(Math.max(read, lint, translation), JSON.stringify({ read, lint, translation })).toBeLessThan(
      BLOCKS_PER_SLICE_MAX,
    )
  },
)
