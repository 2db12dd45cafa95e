import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Endpoint } from '../endpoint.ts'
import { AclError } from '../errors.ts'
import { ENDPOINTS, type EndpointName, endpoint } from '../generated/endpoints.ts'
import { buildPath } from './build-path.ts'
import { decodePath, matchPath } from './paths.ts'

const ID = 'ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e'
const names = Object.keys(ENDPOINTS) as EndpointName[]

/** Describes what a raw path matches: methods with endpoint and parameters. */
function leadsTo(rawPath: string): string {
  const match = matchPath(decodePath(rawPath))
  if (!match) return 'nowhere'
  return match.form.methods
    .map(
      (method) => `${method} ${match.routeOf(method)?.name} ${JSON.stringify(match.routeOf(method)?.params)}`,
    )
    .join(', ')
}

describe('every endpoint', () => {
  test('is local only where it needs no right, and waits for nothing', () => {
    const local = Object.values<Endpoint>(ENDPOINTS).filter((endpoint) => endpoint.local)
    expect(local.length).toBeGreaterThan(0)
    for (const { right, blocking, path } of local)
      expect([path, right, blocking]).toEqual([path, 'none', undefined])
  })

  test.each(names)('%s is found at the path that is built for it, and nowhere else', (name) => {
    const { path, method } = endpoint(name)
    const param = /:(\w+)/.exec(path)?.[1]
    const params = param === undefined ? {} : { [param]: ID }
    const match = matchPath(buildPath(name, params))
    expect(match?.routeOf(method)).toEqual({ name, endpoint: ENDPOINTS[name], params })
    expect(matchPath(`/v1${path}`)).toBeUndefined()
    expect(matchPath(path.toUpperCase())).toBeUndefined()
    if (param === undefined) expect(matchPath(`${path}/`)?.routeOf(method)?.name).not.toBe(name)
  })
})

const tokenTarget = (id: string) =>
  ['GET tokens.read', 'PUT tokens.update', 'DELETE tokens.delete']
    .map((route) => `${route} ${JSON.stringify({ AccessorID: id })}`)
    .join(', ')
const keyTarget = (Key: string) =>
  ['GET kv.read', 'PUT kv.write', 'DELETE kv.delete']
    .map((route) => `${route} ${JSON.stringify({ Key })}`)
    .join(', ')

const PATHS: readonly (readonly [string, string])[] = [
  ['/acl/token/self', 'GET tokens.self {}'],
  ['/acl/token', 'PUT tokens.create {}'],
  ['/acl/tokens/', 'nowhere'],
  ['/acl', 'nowhere'],
  ['/', 'nowhere'],
  ['/acl/authorize', 'nowhere'],
  ['/Acl/tokens', 'nowhere'],
  ['/acl/x/../tokens', 'nowhere'],
  ['/acl/tokens;x=1', 'nowhere'],
  ['/acl/token/', tokenTarget('')],
  ['/acl/token/self/', tokenTarget('self/')],
  [
    `/acl/token/${ID}/clone`,
    `GET tokens.read {"AccessorID":"${ID}/clone"}, PUT tokens.clone {"AccessorID":"${ID}"}, DELETE tokens.delete {"AccessorID":"${ID}/clone"}`,
  ],
  [`/acl/token/${ID}/clone/`, tokenTarget(`${ID}/clone/`)],
  [`/acl/token/${ID}/CLONE`, tokenTarget(`${ID}/CLONE`)],
  ['/acl/policy/name/', 'GET policies.readByName {"Name":""}'],
  ['/acl/policy/lint', 'POST policies.lint {}'],
  ['/acl/info/a/b%2Fc', 'GET legacy.info {"ID":"a/b/c"}'],
  ['/kv', keyTarget('')],
  ['/kv/a/b/', keyTarget('a/b/')],
  ['/kv/../acl/tokens', keyTarget('../acl/tokens')],
  ['/kv/%e4%b8%ad%20+', keyTarget('中 +')],
]

test.each(PATHS)('%j leads to %s', (path, target) => {
  expect(leadsTo(path)).toBe(target)
})

describe('INJ-02: spellings of one path', () => {
  /** Encodes some characters of a path, each in one of the two spellings of its hexadecimal digits. */
  function respell(path: string, choices: number): string {
    let rest = choices
    let text = ''
    for (const char of path) {
      const hex = `%${char.charCodeAt(0).toString(16)}`
      text += rest % 3 === 0 ? char : rest % 3 === 1 ? hex : hex.toUpperCase()
      rest = Math.floor(rest / 3) + char.charCodeAt(0) * (choices % 97)
    }
    return text
  }

  test.each([
    '/acl/tokens',
    '/acl/token/self',
    `/acl/token/${ID}`,
    `/acl/token/${ID}/clone`,
    '/acl/destroy/a secret',
    '/kv/a/b',
  ])('200 encodings of %s lead to one endpoint with one set of parameters', (path) => {
    const spellings = new Set<string>()
    for (let choices = 1; spellings.size < 200; choices += 7) spellings.add(respell(path, choices))
    const target = leadsTo(path)
    for (const spelling of spellings) expect(leadsTo(spelling), spelling).toBe(target)
  })

  test('a path is decoded once: %2561 is the text %61, and never an a', () => {
    expect(decodePath('/kv/%2561')).toBe('/kv/%61')
    expect(leadsTo('/%2561cl/tokens')).toBe('nowhere')
  })
})

describe('path_invalid', () => {
  test.each(['/%', '/%4', '/%zz', '/a%', '/%c3', '/%ff', '/%c0%af', '/%ed%a0%80', '/%u0041'])(
    '%j cannot be decoded',
    (path) => {
      expect(() => decodePath(path)).toThrow(expect.objectContaining({ code: 'path_invalid' }))
    },
  )

  test('control characters, encoded or not, are refused; what is next to them passes', () => {
    for (let code = 0; code < 0x20; code += 1) {
      const hex = code.toString(16).padStart(2, '0')
      expect(() => decodePath(`/kv/%${hex}`), hex).toThrow(AclError)
      expect(() => decodePath(`/kv/${String.fromCharCode(code)}`), hex).toThrow(AclError)
    }
    expect(() => decodePath('/kv/%7f')).toThrow(AclError)
    expect(decodePath('/kv/%20%7e%c2%80')).toBe('/kv/ ~\u0080')
  })
})

describe('building a path', () => {
  test('decoding and matching give back any parameter, whatever is in it', () => {
    const values = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    const odd = fc.constantFrom(
      'self',
      'name',
      'clone',
      'a/clone',
      '%2F',
      '?x=1',
      '#',
      'a b',
      '+',
      ';',
      '\\',
      'é',
    )
    const isPlain = (value: string) => value !== '.' && value !== '..' && !/[\u0000-\u001f\u007f]/.test(value)
    fc.assert(
      fc.property(fc.oneof(values, odd).filter(isPlain), (ID) => {
        for (const name of ['legacy.info', 'legacy.destroy'] as const) {
          const path = buildPath(name, { ID })
          expect(path).toMatch(/^[!-~]+$/)
          const match = matchPath(decodePath(path))
          expect(match?.routeOf(endpoint(name).method)).toMatchObject({ name, params: { ID } })
        }
      }),
    )
  })

  test('the steps of a key stay steps, everything else in it is encoded', () => {
    expect(buildPath('kv.read', { Key: 'a/b c/?#/' })).toBe('/kv/a/b%20c/%3F%23/')
  })

  test.each([
    ['/x', '/kv/%2Fx'],
    ['/', '/kv/%2F'],
    ['a//b', '/kv/a/%2Fb'],
    ['a//', '/kv/a/%2F'],
    ['a/', '/kv/a/'],
  ])('the key %j has no doubled slash in its path, and arrives as it is', (Key, path) => {
    expect(buildPath('kv.read', { Key })).toBe(path)
    expect(matchPath(decodePath(path))?.routeOf('GET')?.params).toEqual({ Key })
  })

  test.each([
    ['tokens.read', { AccessorID: '' }],
    ['tokens.read', { AccessorID: '.' }],
    ['tokens.clone', { AccessorID: '..' }],
    ['kv.read', { Key: 'a/../b' }],
  ] as const)('TypeError: %s with %j would reach another endpoint', (name, params) => {
    expect(() => buildPath(name, params)).toThrow(TypeError)
  })
})
