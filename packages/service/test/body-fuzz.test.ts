/**
 * FUZ-01: random, then mutated bodies against the schema of every endpoint with a JSON body. `LATCHKEY_FUZZ` sets their
 * number, `LATCHKEY_SEED` replays a run.
 */
import { AclError, decodeBody, decodeUtf8, ROUTE_LIST } from '@latchkey/contract'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'

const BODIES = fuzzCount(30_000)
/** Far above the time of any body on a busy machine. */
const HANG_MS = 2_000

const SCHEMAS = ROUTE_LIST.flatMap(({ body, schemas }) =>
  body === 'json' && schemas.body ? [schemas.body] : [],
)

const FIELDS = [
  ...['AccessorID', 'SecretID', 'Description', 'Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities'],
  ...[
    ...['Local', 'ExpirationTTL', 'ExpirationTime', 'ID', 'Name', 'Rules', 'Datacenters', 'Resource'],
    ...['Segment'],
  ],
  ...['Access', 'ServiceName', 'NodeName', 'Type', 'description', '__proto__', 'constructor', '', 'ﬀ'],
]
const VALUES = [
  ...['null', 'true', 'false', '0', '-0', '1', '-1', '1e400', '1E-400', '9007199254740993', '00', '1.', '.5'],
  ...['""', '"a"', '"\\u0000"', '"\\ud800"', '"\\udc00\\ud800"', '"\u2028"', '"\\x"', '"2h"', '"60s"', "'a'"],
  ...['"00000000-0000-4000-8000-000000000001"', '"<hidden>"', '"2026-01-01T00:00:00Z"', 'NaN', 'undefined'],
]
const PIECES = [
  ...[
    ...['{', '}', '[', ']', ':', ',', '"', '\\', '\\u', '\0', '\n', '\t', ' ', '\ufeff', '/*', '//', '-'],
    ...['e', '0'],
  ],
  ...['\ud800', '{"a":'.repeat(70), '['.repeat(200), '9'.repeat(400), 'x'.repeat(1_000)],
]

function randomJson(random: SeededRandom, depth: number): string {
  const kind = random.below(depth > 0 ? 6 : 3)
  if (kind < 3) return random.pick(VALUES)
  const parts = Array.from({ length: random.below(4) }, () => randomJson(random, depth - 1))
  if (kind === 3) return `[${parts.join(',')}]`
  return `{${parts.map((part) => `"${random.pick(FIELDS)}":${part}`).join(random.chance(0.02) ? ',,' : ',')}}`
}

function randomBody(random: SeededRandom): Uint8Array {
  let text = randomJson(random, 4)
  for (let damages = random.below(4) - 1; damages > 0; damages -= 1) {
    const at = random.below(text.length + 1)
    text = text.slice(0, at) + random.pick(PIECES) + text.slice(at + random.below(3))
  }
  const bytes = new TextEncoder().encode(text)
  if (random.chance(0.1) && bytes.length > 0) bytes[random.below(bytes.length)] = random.below(256)
  return random.chance(0.05) ? bytes.slice(0, random.below(bytes.length + 1)) : bytes
}

/** Whether `JSON.parse`, which is never stricter, accepts it. */
function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(decodeUtf8(bytes))
    return true
  } catch {
    return false
  }
}

test(`FUZ-01: ${BODIES} mutated bodies are accepted or refused with 400, and none hangs`, {
  timeout: 7_200_000,
}, () => {
  const random = new SeededRandom(chooseSeed('FUZ-01'))
  const counts = new Map<string, number>()
  let slowestMs = 0
  for (let left = BODIES; left > 0; left -= 1) {
    const body = randomBody(random)
    const schema = random.pick(SCHEMAS)
    const before = process.threadCpuUsage()
    let outcome = 'read'
    try {
      decodeBody(schema, body, { unknownFields: random.chance(0.5) ? 'ignore' : 'refuse' })
    } catch (error) {
      if (!(error instanceof AclError) || error.status !== 400)
        throw new Error(`broke on ${new TextDecoder().decode(body)}`, { cause: error })
      outcome = error.code
    }
    const { user, system } = process.threadCpuUsage(before)
    slowestMs = Math.max(slowestMs, (user + system) / 1_000)
    if (outcome === 'read' && !isJson(body)) expect.fail(`no JSON: ${new TextDecoder().decode(body)}`)
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
  }
  console.log(`FUZ-01: ${JSON.stringify({ ...Object.fromEntries(counts), slowestMs })}`)
  expect(slowestMs).toBeLessThan(HANG_MS)
  // The generator must produce enough valid bodies and enough different faults.
  expect(counts.get('read') ?? 0).toBeGreaterThan(BODIES / 50)
  expect(counts.size).toBeGreaterThan(3)
})
