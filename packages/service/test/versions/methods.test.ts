/** Spec 9.4, every row with every method, at versions on both sides of every boundary. */
import { REQUIRED_METHODS } from '@latchkey/contract'
import { MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, test } from 'vitest'
import { expectSince } from './rows.ts'

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH'] as const

/** A concrete path for a row. */
const pathOf = (path: string) =>
  path.replace(':uuid', 'ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e').replace(/\/$/, '/x')

const NO_BODY = '400 A JSON body is required, and this request has none'

/** Rows whose request is refused here, because it has no body or names a missing record. */
const REFUSED: Readonly<Record<string, string>> = {
  '/catalog/register': NO_BODY,
  '/catalog/deregister': NO_BODY,
  '/internal/ui/node/': '404 No such node',
  '/session/info/': '400 failed session lookup: index error: UUID must be 36 characters',
  '/agent/service/register': NO_BODY,
  '/agent/service/deregister/': '404 Unknown service "x"',
  '/agent/check/register': NO_BODY,
  '/agent/check/deregister/': '404 Unknown check "x"',
  '/agent/check/pass/': '404 Unknown check "x"',
  '/agent/check/warn/': '404 Unknown check "x"',
  '/agent/check/fail/': '404 Unknown check "x"',
  '/agent/join/':
    '400 Failed to join x: no server of this cluster has the address. Servers are members once they share its database',
  '/agent/force-leave/': "404 No node found with name 'x'",
}

/** The answer to a method: its status, with the text of a refusal. */
const asked = (method: string, path: string) => async (world: World) => {
  const { status, headers, text, code } = await world.ask(method, path, { token: MANAGEMENT })
  if (code === 'method_not_allowed') return `405 Allow: ${headers.Allow} ${text}`
  if (code === 'endpoint_unknown') return 'unknown'
  if (status === 410) return 'removed'
  return status === 200 ? '200' : `${status} ${text}`
}

const isArea = (path: string) => path.startsWith('/operator/area/')

test.each(REQUIRED_METHODS.filter(({ path }) => isArea(path)).map(({ path }) => path))(
  '%s: unknown in both editions, with any method',
  async (pattern) => {
    for (const method of [...METHODS, 'OPTIONS']) {
      await expectSince([['0.7', 'unknown']], asked(method, pathOf(pattern)))
    }
  },
)

const ROWS = REQUIRED_METHODS.filter(({ path }) => !isArea(path))
describe.each(ROWS.map((row) => [row.method, row.path, row.built] as const))(
  '%s %s',
  (required, pattern, built) => {
    const path = pathOf(pattern)
    const served = built ? (REFUSED[pattern] ?? '200') : `501 This service does not provide /v1${path}`
    const isLegacy = pattern === '/acl/info/' || pattern === '/acl/list'

    test(`${required} ${built ? 'works' : 'answers 501, with a text that says so'} in every version`, () =>
      expectSince(
        [['0.7', served], ...(isLegacy ? ([['1.11', 'removed']] as const) : [])],
        asked(required, path),
      ))

    test.each(METHODS.filter((method) => method !== required))(
      '%s is served before 1.0 and refused with 405 from 1.0 on',
      (method) =>
        expectSince(
          [
            ['0.7', served],
            ['1.0', `405 Allow: ${required} method ${method} not allowed`],
            ['1.0.7', `405 Allow: OPTIONS,${required} method ${method} not allowed`],
          ],
          asked(method, path),
        ),
    )

    test('OPTIONS is answered from 1.0.7', () =>
      expectSince(
        [
          ['0.7', served],
          ['1.0', `405 Allow: ${required} method OPTIONS not allowed`],
          ['1.0.7', `200 Allow: OPTIONS,${required}`],
        ],
        async (world) => {
          const reply = await world.ask('OPTIONS', path, { token: MANAGEMENT })
          return reply.status === 200 && reply.text === '' && reply.headers.Allow
            ? `200 Allow: ${reply.headers.Allow}`
            : asked('OPTIONS', path)(world)
        },
      ))
  },
)
