/**
 * What the source service answered is recorded here. With `LATCHKEY_REFERENCE_URL` and `LATCHKEY_REFERENCE_TOKEN`, a
 * running one (default policy deny) is asked again, also about random texts; `LATCHKEY_FUZZ` is their number.
 */
import {
  accessesOf,
  compileAuthorizer,
  parseLegacyRules,
  probeQuestions,
  type Question,
  type Rule,
  SEGMENT_KINDS,
} from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { randomHcl, randomJson, randomText } from '@latchkey/testkit/rules/random-texts'
import { describe, expect, test } from 'vitest'
import { findReadingDifference } from './reading-difference.ts'
import { READING_DIFFERENCES, type ReadingDifference, readAsSource } from './source-reading.ts'

const LETTERS = { read: 'r', list: 'l', write: 'w', 'write-prefix': '' } as const

/** The rights on one name under default deny, such as `rl`; `-` for none, `!` for a text that is refused. */
function rightsOf(rules: readonly Rule[] | undefined, resource: 'key' | 'service' | 'intention'): string {
  if (rules === undefined) return '!'
  const input = { key: '', policyId: '', policyName: '', path: { via: 'legacy-rules' } as const }
  const authorizer = compileAuthorizer([{ ...input, ruleSet: { rules, warnings: [] } }], {
    defaultPolicy: 'deny',
  })
  const allowed = accessesOf(resource).filter((access) =>
    authorizer.decide({ resource, segment: 'a', access }),
  )
  return allowed.map((access) => LETTERS[access]).join('') || '-'
}

function hereOf(text: string): readonly Rule[] | undefined {
  try {
    return parseLegacyRules(text).rules
  } catch (error) {
    if (error instanceof AclError) return undefined
    throw error
  }
}

const LEVELS = ['read', 'list', 'write', 'deny', 'READ', 'LIST', 'WRITE', 'DENY']

test.each([
  ['read', 'r   rl  rlw -   r   r   r   r'],
  ['list', 'rl  rl  rlw -   rl  rl  rl  rl'],
  ['write', 'rlw rlw rlw -   rlw rlw rlw rlw'],
  ['deny', '-   -   -   -   -   -   -   -'],
  ['READ', 'r   rl  rlw -   r   rl  rlw -'],
  ['LIST', 'r   rl  rlw -   r   rl  rlw -'],
  ['WRITE', 'r   rl  rlw -   r   rl  rlw -'],
  ['DENY', 'r   rl  rlw -   r   rl  rlw -'],
])('a key named twice, the second time with %s', (second, recorded) => {
  const texts = LEVELS.map((first) => `key "a" { policy = "${first}" }\nkey "a" { policy = "${second}" }`)
  expect(texts.map((text) => rightsOf(readAsSource(text)?.rules, 'key'))).toEqual(recorded.split(/ +/))
})

const GIVEN = ['', 'read', 'write', 'deny', 'READ', 'WRITE', 'DENY']

test.each([
  ['', 'r   r   -   -   -   -', 'r   r   rw  -   r   rw  -'],
  ['read', 'r   r   r   r   r   r', 'r   r   rw  -   r   r   r'],
  ['write', 'rw  rw  rw  rw  rw  rw', 'rw  rw  rw  -   rw  rw  rw'],
  ['deny', '-   -   -   -   -   -', '-   -   -   -   -   -   -'],
  ['READ', 'r   r   r   r   r   r', 'r   r   rw  -   r   rw  -'],
  ['WRITE', 'rw  rw  rw  rw  rw  rw', 'r   r   rw  -   r   rw  -'],
  ['DENY', '-   -   -   -   -   -', 'r   r   rw  -   r   rw  -'],
])('intentions = "%s", once and as the second', (level, once, second) => {
  const block = (policy: string, intentions: string) =>
    `service "a" { policy = "${policy}" intentions = "${intentions}" }`
  const intentionsOf = (text: string) => rightsOf(readAsSource(text)?.rules, 'intention')
  const policies = GIVEN.filter((policy) => policy !== '')
  expect(policies.map((policy) => intentionsOf(block(policy, level)))).toEqual(once.split(/ +/))
  expect(GIVEN.map((first) => intentionsOf(block('read', first) + block('read', level)))).toEqual(
    second.split(/ +/),
  )
})

/** Texts about the key "a", and its rights in the source service and in Latchkey. */
const EXAMPLES: Readonly<Record<ReadingDifference, readonly (readonly [string, string, string])[]>> = {
  'level-case': [
    ['key "a" { policy = "WRITE" }', 'rlw', '-'],
    ['{"key":{"":{"policy":"Read"}}}', 'r', '-'],
    ['key "a" { policy = "read" }\nkey "a" { policy = "DENY" }', 'r', '-'],
  ],
  'scalar-case': [['key "a" { policy = "read" } operator = "DENY"', 'r', 'r']],
  surrogates: [
    ['key "\\ud83d" { policy = "read" } key "a" { policy = "read" }', 'r', '!'],
    ['{"key":{"a":{"policy":"read"},"\\ud83d\\ude00":{"policy":"read"}}}', 'r', 'r'],
    ['{"key":{"a":{"policy":"read"},"\\ud83d":{"policy":"read"}}}', 'r', '!'],
  ],
  'json-slash': [['{"key":{"a":{"policy":"read"},"b\\/":{"policy":"read"}}}', '!', 'r']],
  'hcl-escape-in-json': [
    ['{"key":{"\\x61":{"policy":"read"}}}', 'r', '!'],
    ['{"key":{"\\141":{"policy":"read"}}}', 'r', '!'],
    ['{"key":{"\\U00000061":{"policy":"read"}}}', 'r', '!'],
    ['{"key":{"a":{"policy":"read","x":"\\v"}}}', 'r', '!'],
  ],
  'labelled-attribute': [['key "a" { policy "x" { } policy = "read" }', '!', 'r']],
  'empty-blocks': [['{"key":{"":{"policy":"read"},"a":[]}}', '!', 'r']],
  'replaced-level': [['key "a" { policy = "bogus" policy = "read" }', 'r', '!']],
  'policy-as-segment': [['key { policy = "write" "a" { policy = "read" } }', 'r', '!']],
}
const TEXTS = Object.values(EXAMPLES).flat()

describe.each(Object.entries(EXAMPLES))('%s', (id, examples) => {
  test.each(examples)('%s', (text, there, here) => {
    const source = readAsSource(text)
    expect([rightsOf(source?.rules, 'key'), rightsOf(hereOf(text), 'key')]).toEqual([there, here])
    expect([...(source?.differences ?? [])]).toEqual([id])
    const { meanings } = findReadingDifference(text, hereOf(text)) ?? {}
    for (const reason of Object.values(
      READING_DIFFERENCES[source?.differences.values().next().value ?? 'level-case'],
    ))
      expect(meanings).toContain(reason)
  })
})

test('a text whose syntax Latchkey cannot read may have a meaning there', () => {
  expect(findReadingDifference('operator =', undefined)?.meanings).toContain('ask it what the token may do')
})

test('the message has both meanings', () => {
  const text = 'key "a" { policy = "WRITE" }'
  expect(findReadingDifference(text, hereOf(text))?.meanings).toMatch(
    /^with default policy deny, the source service allows read on key "a", .*, Latchkey denies it \(/,
  )
  const scalar = 'operator = "WRITE"'
  expect(findReadingDifference(scalar, hereOf(scalar))?.meanings).toMatch(
    /^with default policy allow, the source service allows .* on operator/,
  )
})

test.each(['key "a" { policy = "DENY" }', 'key "a" { policy = "read" } key "a" { policy = "READ" }'])(
  'no difference: %s',
  (text) => {
    expect(findReadingDifference(text, hereOf(text))).toBeUndefined()
  },
)

test('without anything of the table, both read random texts equally', () => {
  const random = new SeededRandom(chooseSeed('random texts, two readings'))
  for (let left = fuzzCount(2_000); left > 0; left--) {
    const text = randomText(random)
    const [source, here] = [readAsSource(text), hereOf(text)]
    if (source?.differences.size === 0 && here !== undefined) {
      expect(source.rules, text).toBeDefined()
      expect(findReadingDifference(text, here), text).toBeUndefined()
    }
  }
})

const { LATCHKEY_REFERENCE_URL: url, LATCHKEY_REFERENCE_TOKEN: management = '' } = process.env

describe.runIf(url !== undefined)('a running source service', () => {
  test('decides as it is read here', { timeout: 600_000 }, async () => {
    const random = new SeededRandom(chooseSeed('the source service'))
    const texts = [
      ...TEXTS.map(([text]) => text),
      ...SEGMENT_KINDS.flatMap((kind) => LEVELS.map((level) => `${kind} "a" { policy = "${level}" }`)),
      ...LEVELS.flatMap((a) => LEVELS.map((b) => `operator = "${a}" service "a" { policy = "${b}" }`)),
      ...Array.from({ length: fuzzCount(1_000) }, () =>
        random.pick([randomHcl, randomJson, randomText])(random),
      ),
    ]
    const different: string[] = []
    for (const text of texts.filter((each) => each.isWellFormed())) {
      const source = readAsSource(text)
      if (source === undefined) continue
      const rules = source.rules ?? []
      const questions = probeQuestions({ rules }, { rules: hereOf(text) ?? [] }).filter(
        ({ resource, access }) => access !== 'write-prefix' && resource !== 'mesh' && resource !== 'peering',
      )
      const there = await askSource(text, questions)
      const input = { key: '', policyId: '', policyName: '', path: { via: 'legacy-rules' } as const }
      const read = compileAuthorizer([{ ...input, ruleSet: { rules, warnings: [] } }], {
        defaultPolicy: 'deny',
      })
      const expected = source.rules && questions.map((question) => read.decide(question))
      if (JSON.stringify(there) !== JSON.stringify(expected)) different.push(text)
    }
    expect(different).toEqual([])
  })
})

/** What a token with these rules may do; undefined if the service refuses the rules. */
async function askSource(text: string, questions: readonly Question[]): Promise<boolean[] | undefined> {
  const created = await call('PUT', 'create', management, { Name: '', Type: 'client', Rules: text })
  if (created?.ok !== true) return undefined
  const { ID } = (await created.json()) as { ID: string }
  const allowed: boolean[] = []
  for (let from = 0; from < questions.length; from += 60) {
    const asked = questions.slice(from, from + 60)
    const body = asked.map(({ resource, segment, access }) => ({
      Resource: resource,
      Segment: segment ?? '',
      Access: access,
    }))
    const answer = await call('POST', '../internal/acl/authorize', ID, body)
    const decisions = (await answer?.json()) as { Allow: boolean }[]
    allowed.push(...decisions.map(({ Allow }) => Allow))
  }
  await call('PUT', `destroy/${ID}`, management, {})
  return allowed
}

/** Undefined if the connection breaks, as some texts crash the parser there. */
async function call(method: string, path: string, token: string, body: unknown) {
  const headers = { 'X-Consul-Token': token }
  return await fetch(new URL(`/v1/acl/${path}`, url), { method, headers, body: JSON.stringify(body) }).catch(
    () => undefined,
  )
}
