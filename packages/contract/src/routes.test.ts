import { expect, test } from 'vitest'
import * as z from 'zod'
import { RESOURCES } from './contract.ts'
import { ROUTE_LIST, ROUTES } from './routes.ts'
import { BLOCKING_QUERY_OPTIONS } from './shared/query.ts'

const all = ROUTE_LIST.map((route) => [route.name, route] as const)

test('resources are listed in the order in which documents show them', () => {
  expect([...new Set(ROUTE_LIST.map(({ resource }) => resource))]).toEqual(Object.keys(RESOURCES))
})

test.each(all)('%s: has a body schema exactly if it declares a body', (_, route) => {
  expect(route.schemas.body === undefined).toBe(route.body === undefined)
  if (!route.body)
    expect([route.bodyOptional, route.bodyBytesMax, route.bodyType]).toEqual(Array(3).fill(undefined))
})

test.each(all)(
  '%s: takes the options of blocking queries and namespaces exactly if it declares them',
  (_, route) => {
    const options = Object.keys(route.schemas.query.shape)
    for (const option of BLOCKING_QUERY_OPTIONS) {
      // The agent waits for a different hash, not for an index.
      if (option === 'wait' && options.includes('hash')) continue
      expect(options.includes(option)).toBe(Boolean(route.blocking || route.checksReadOptions))
    }
    expect(options.includes('ns')).toBe(Boolean(route.namespaced))
    expect(options).toContain('pretty')
    const fields = Object.keys((route.schemas.body as { shape?: object } | undefined)?.shape ?? {})
    expect(fields.includes('Namespace')).toBe(Boolean(route.namespaceInBody))
  },
)

test.each(all)('%s: describes exactly the parameter of its path', (_, route) => {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name)
  expect(Object.keys(route.schemas.params?.shape ?? {})).toEqual(inPath)
})

test('no two routes share a method and a path', () => {
  const places = ROUTE_LIST.map(({ method, path }) => `${method} ${path.replace(/:\w+/, ':')}`)
  expect(new Set(places).size).toBe(places.length)
  expect(Object.keys(ROUTES)).toHaveLength(places.length)
})

/**
 * Fields that are or may contain a credential. In legacy tokens and keys, they are recognized by their descriptions.
 */
const SECRET = /"(SecretID|AuthURL|OIDCClientSecret)":|"The secret of the token|"The value in base64/

test.each(all)('%s: declares exactly if its answer may hold a secret', (_, { schemas, holdsSecrets }) => {
  const answer = JSON.stringify(z.toJSONSchema(schemas.answer, { io: 'output', unrepresentable: 'any' }))
  expect(Boolean(holdsSecrets)).toBe(SECRET.test(answer))
})
