import { ENDPOINTS } from '@latchkey/contract'
import { describe, expect, test } from 'vitest'
import { logPath } from './log-path.ts'

const SECRET = 'CANARY-f1d2d2f9'

test.each(Object.values(ENDPOINTS).map(({ path }) => path))(
  '%s: parameter names replace their values',
  (path) => {
    const url = `/v1${path.replace(/:\w+/, SECRET)}?token=${SECRET}#${SECRET}`
    expect(logPath(url)).toBe(`/v1${path}`)
  },
)

test.each([
  ['/v1/discovery-chain/x', '/v1/discovery-chain/'],
  ['/livez', '/livez'],
  ['/docs/x.js', '/docs/*'],
  ['/', '/'],
  ['/v1/acl/tokens/', '/v1/acl/tokens/'],
  ['/v1/%61cl/token/self', '/v1/acl/token/self'],
  ['/v1/kv/%zz', '(not decodable)'],
  [`/${'a/'.repeat(500)}`, `${'/*'.repeat(9)}/…`],
])('%s is logged as %s', (url, shown) => {
  expect(logPath(url)).toBe(shown)
})

describe('LEAK-01: a misspelled legacy path is an unknown path that still contains a secret', () => {
  const SLIPS = [
    `/v1/acl/infos/${SECRET}`,
    `/v1/acl/Info/${SECRET}`,
    `/v1/acl//info/${SECRET}`,
    `//v1/acl/info/${SECRET}`,
    `/acl/info/${SECRET}`,
    `/v2/acl/info/${SECRET}`,
    `/v1/acl/inf%6f/${SECRET}`,
    `/v1/acl/%69nfo/${SECRET}/x`,
    `/v1/acl/info%2F${SECRET}`,
    `/v1/acl/info/${SECRET}%`,
    `/v1/acl/destroy%00/${SECRET}`,
    `/${SECRET}`,
    `/v1/${SECRET}/acl`,
    `/v1/acl/${SECRET}`,
    `http://x/v1/acl/info/${SECRET}`,
    `/v1/acl/tokens;${SECRET}`,
    `/v1/acl/tokens&token=${SECRET}`,
    `*${SECRET}`,
    SECRET,
  ]
  test.each(SLIPS)('%s', (url) => {
    const shown = logPath(url)
    expect(shown).not.toContain(SECRET)
    expect(shown).not.toBe('')
  })
})
