/**
 * DOS-05: anonymous requests are cheap on every endpoint of the contract. Work is counted in executed code blocks, so it is
 * the same on every machine.
 */
import { ENDPOINTS, type Endpoint, type EndpointName, endpoint, limits, routeOf } from '@latchkey/contract'
import { many } from '@latchkey/testkit/rules/long-texts'
import { MeasuredTurns, WorkMeter } from '@latchkey/testkit/service/work-meter'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** Blocks per turn: about two milliseconds. The shortest request takes a few thousand. */
const WORK_OF_TURN_MAX = 400_000
/** Blocks per anonymous request, over all of its turns: below ten milliseconds. */
const WORK_OF_REQUEST_MAX = 1_500_000

/** Maximum characters of a refusal, which may quote the request. */
const ECHO_LENGTH_MAX = 600

const names = Object.keys(ENDPOINTS) as EndpointName[]

let meter: WorkMeter
let turns: MeasuredTurns
/** The newest version, and the last one with the legacy API in the extended edition: together, every endpoint. */
let worlds: readonly World[]
let ownSecret: string

beforeAll(async () => {
  meter = new WorkMeter()
  await meter.start()
  turns = new MeasuredTurns(meter)
  worlds = [await aWorld({ turns }), await aWorld({ turns, edition: 'extended', version: '1.10.12' })]
  const { SecretID } = (await worlds[0]?.token()) ?? { SecretID: '' }
  ownSecret = SecretID
})

afterAll(() => meter.stop())

/** Rule texts that are expensive to parse. */
const RULES: Readonly<Record<string, (length: number) => string>> = {
  'rules of HCL': (length) => many(length, (i) => `key "${i}"{policy="deny"}\n`),
  'prefixes in one another': (length) =>
    many(length, (i) => `service_prefix "${'a'.repeat(i)}"{policy="write"}\n`),
  'unknown kinds': (length) => many(length, () => 'a=""\n'),
  'unknown attributes': (length) => `key "a"{policy="read" ${many(length - 30, () => 'x=1 ')}}`,
  'nested blocks': (length) => `key {${many(length - 8, () => 'a{}')}}`,
  'lists in HCL': (length) => `a=[${many(length - 8, () => '1,')}]`,
  'comments of HCL': (length) => many(length, () => '#\n'),
  'words of HCL': (length) => `${many(length - 2, () => 'a ')}{}`,
  'escapes of HCL': (length) => `key "${many(length - 30, () => '\\x41a')}"{policy="read"}`,
  'rules of JSON': (length) =>
    `{"key":{${many(length - 12, (i) => `"${i}":{"policy":"read"},`).slice(0, -1)}}}`,
  'one segment': (length) => `key "${'a'.repeat(length - 30)}" {`,
  'the deepest nesting': (length) => `a=${'['.repeat(length - 2)}`,
}

/** JSON bodies at a length. */
const JSON_BODIES: Readonly<Record<string, (length: number) => string>> = {
  'a list of numbers': (length) => `[${many(length - 4, () => '1,')}1]`,
  'a list of lists': (length) => `[${many(length - 4, () => '[],')}[]]`,
  'a list of objects': (length) => `[${many(length - 4, () => '{},')}{}]`,
  'one long string': (length) => JSON.stringify('a'.repeat(length - 2)),
  'a string of escapes': (length) => `"${many(length - 2, () => '\\u0041')}"`,
  'many fields': (length) => `{${many(length - 8, (i) => `"${i}":1,`)}"a":1}`,
  'one field with a long name': (length) => `{"${'x'.repeat(length - 6)}":1}`,
  'line ends': (length) => '\n'.repeat(length),
  'an open list': (length) => '['.repeat(length),
  'most checks': (length) =>
    `[${many(Math.min(length - 2, 64 * 250), () => `{"Resource":"key","Segment":"${'s'.repeat(190)}","Access":"read"},`).slice(0, -1)}]`,
  'a check of an unknown resource': (length) => `[{"Resource":"${'r'.repeat(length - 30)}","Access":"a"}]`,
  'a check of an unknown access': (length) => `[{"Resource":"key","Access":"${'r'.repeat(length - 32)}"}]`,
  'a question of an unknown resource': (length) => `{"Resource":"${'r'.repeat(length - 30)}","Access":"a"}`,
  'a question of an unknown access': (length) => `{"Resource":"key","Access":"${'r'.repeat(length - 32)}"}`,
}

function* bodiesOf({ body }: Endpoint, length: number): Generator<readonly [string, string]> {
  if (body === undefined) return
  for (const [name, text] of Object.entries(RULES)) {
    yield [name, text(length)]
    const inside = JSON.stringify({ Rules: text(Math.floor(length / 2)) })
    if (body === 'json' && inside.length <= length) yield [`${name}, as a field`, inside]
  }
  for (const [name, text] of Object.entries(JSON_BODIES)) yield [name, text(length)]
}

/** URLs of the maximum length. */
function* urlsOf({ path, query = [] }: Endpoint): Generator<readonly [string, string]> {
  const filled = path.replace(/:\w+/, 'x')
  yield ['a plain path', filled]
  const length = limits.URL_LENGTH_MAX - '/v1'.length
  const room = length - filled.length - 1
  yield ['many options', `${filled}?${many(room, (i) => `${i}&`)}`]
  yield ['options with escapes', `${filled}?${many(room, () => '%41=%41&')}`]
  const options = [...query, 'index', 'wait', 'stale', 'max_stale', 'ns', 'token', 'pretty', 'dc']
  for (const option of options) {
    yield [`a long ${option}`, `${filled}?${option}=${'9'.repeat(room - option.length - 1)}`]
    yield [`words in ${option}`, `${filled}?${option}=${many(room - option.length - 1, () => 'a%20and%20')}`]
  }
  if (!path.includes(':')) return
  const rest = length - path.length
  yield ['a long name', path.replace(/:\w+/, 'n'.repeat(rest))]
  yield [
    'a name of escapes',
    path.replace(
      /:\w+/,
      many(rest, () => '%c3%a9'),
    ),
  ]
  yield [
    'a name of slashes',
    path.replace(
      /:\w+/,
      many(rest, () => 'a/'),
    ),
  ]
}

/** Headers of the maximum total length. */
const HEADERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a long credential': { authorization: `Bearer ${'x'.repeat(15_000)}` },
  'a credential of blanks': { authorization: `Bearer${' '.repeat(15_000)}x` },
  'a cache-control of commas': { 'cache-control': ','.repeat(15_000) },
  'a long namespace': { 'x-service-namespace': 'n'.repeat(15_000) },
  'what is accepted': { accept: 'a/b,'.repeat(3_700) },
}

interface Attack {
  readonly what: string
  readonly path: string
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
}

function* attacksOn(name: EndpointName): Generator<Attack> {
  const asked = endpoint(name)
  const bytes = asked.right === 'key' ? limits.KV_VALUE_BYTES_MAX : limits.ANONYMOUS_BODY_BYTES_MAX
  const path = asked.path.replace(/:\w+/, 'x')
  for (const [what, url] of urlsOf(asked)) yield { what, path: url }
  for (const [what, headers] of Object.entries(HEADERS)) yield { what, path, headers }
  if (!isOpen(asked)) return
  for (const [what, body] of bodiesOf(asked, bytes)) yield { what, path, body }
}

/** Endpoints whose handlers see anonymous bodies; all others refuse them unread. */
function isOpen({ right }: Endpoint): boolean {
  return right === 'none' || right === 'key' || right === 'transaction'
}

interface Sent {
  readonly attack: Attack
  readonly world: World
  /** Shown in findings. */
  readonly name: string
}

async function send({ attack: { path, body, headers }, world }: Sent, method: string): Promise<string> {
  const reply = await world.ask(method, path, { body, ...(headers ? { headers } : {}) })
  return reply.status === 200 ? '' : reply.text
}

/** Sends every attack and returns those that cost or quote too much. */
async function findingsOf(name: EndpointName): Promise<readonly string[]> {
  const { method } = endpoint(name)
  const sent = [...attacksOn(name)].flatMap((attack) =>
    worlds.map((world, i): Sent => ({ attack, world, name: `${attack.what} (world ${i})` })),
  )
  return findingsIn(sent, method)
}

/**
 * Measures many requests together, because a measurement takes longer than most of them. If their sum is within the bound of a
 * turn, each request is. Otherwise bisects down to the single request.
 */
async function findingsIn(sent: readonly Sent[], method: string): Promise<readonly string[]> {
  const [first] = sent
  if (first === undefined) return []
  if (sent.length === 1) return findingsOfOne(first, method)
  const echoes: string[] = []
  const work = await turns.sumDuring(async () => {
    for (const one of sent) echoes.push(...longEcho(one, await send(one, method)))
  })
  if (work <= WORK_OF_TURN_MAX) return echoes
  const middle = sent.length >> 1
  return [
    ...(await findingsIn(sent.slice(0, middle), method)),
    ...(await findingsIn(sent.slice(middle), method)),
  ]
}

async function findingsOfOne(one: Sent, method: string): Promise<readonly string[]> {
  let text = ''
  const work = await turns.during(async () => {
    text = await send(one, method)
  })
  const most = Math.max(...work)
  const sum = work.reduce((a, b) => a + b, 0)
  return [
    ...(most > WORK_OF_TURN_MAX ? [`${one.name}: ${most} blocks in one turn`] : []),
    ...(sum > WORK_OF_REQUEST_MAX ? [`${one.name}: ${sum} blocks`] : []),
    ...longEcho(one, text),
  ]
}

function longEcho({ name }: Sent, text: string): readonly string[] {
  return text.length > ECHO_LENGTH_MAX ? [`${name}: a refusal of ${text.length} characters`] : []
}

describe('DOS-05: an anonymous request costs little work, takes no long turn, and gets a short refusal', () => {
  test.each(names)('%s', { timeout: 120_000 }, async (name) => {
    expect(await findingsOf(name)).toEqual([])
  })

  test.each(names.filter((name) => endpoint(name).body && !isOpen(endpoint(name))))(
    '%s does not read its body',
    async (name) => {
      let isRead = false
      const body = {
        toJSON: () => {
          isRead = true
        },
      }
      const { method, path } = endpoint(name)
      for (const world of worlds) await world.ask(method, path.replace(/:\w+/, 'x'), { body })
      expect(isRead).toBe(false)
    },
  )
})

const OPEN = names.filter((name) => endpoint(name).right === 'none' && endpoint(name).body)

test.each(OPEN.filter((name) => !routeOf(name).ignoresToken))(
  '413 body_too_large: %s without a valid token accepts at most ANONYMOUS_BODY_BYTES_MAX bytes',
  async (name) => {
    const [world] = worlds
    const { method, path } = endpoint(name)
    const ask = (length: number, token?: string) =>
      world?.ask(method, path, { body: ' '.repeat(length), ...(token === undefined ? {} : { token }) })
    const bound = limits.ANONYMOUS_BODY_BYTES_MAX
    expect((await ask(bound))?.code).toBe('body_required')
    for (const stranger of [undefined, '11111111-0000-4000-8000-000000000001']) {
      const reply = await ask(bound + 1, stranger)
      expect(reply).toMatchObject({ status: 413, code: 'body_too_large' })
      expect(reply?.text).toContain(String(bound))
    }
    for (const caller of [ownSecret, MANAGEMENT])
      expect((await ask(bound + 1, caller))?.code).toBe('body_required')
  },
)

test.each(OPEN.filter((name) => routeOf(name).ignoresToken))(
  '413 body_too_large: %s, whose credential is in its body, accepts up to its own bound from anyone',
  async (name) => {
    // The extended edition has all of these endpoints.
    const [, world] = worlds
    const { method, path, bodyBytesMax = 0 } = endpoint(name)
    for (const token of [undefined, MANAGEMENT]) {
      const ask = (length: number) =>
        world?.ask(method, path, { body: ' '.repeat(length), ...(token === undefined ? {} : { token }) })
      expect((await ask(bodyBytesMax))?.code).toBe('body_required')
      expect(await ask(bodyBytesMax + 1)).toMatchObject({ status: 413, code: 'body_too_large' })
    }
  },
)
