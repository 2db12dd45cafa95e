import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { ACL_ERRORS } from '../errors.ts'
import { EXAMPLES } from '../generated/examples.ts'
import { decodeBody } from '../json/decode.ts'
import {
  buildOpenApi,
  type JsonSchema,
  type MediaType,
  type OpenApiDocument,
  type Operation,
} from '../openapi.ts'
import { ROUTE_LIST, type RouteName, routeOf } from '../routes.ts'
import { profileOf } from '../versions/profile.ts'
import { parseServiceVersion } from '../versions/versions.ts'

type Edition = 'standard' | 'extended'

const documentOf = (version: string, edition: Edition = 'extended'): OpenApiDocument =>
  buildOpenApi({ profile: profileOf(parseServiceVersion(version)), headerPrefix: 'X-Service-', edition })

/** 1.10 has every endpoint: the newest ones and, until 1.11, the legacy ones. */
const WIDEST = '1.10'
const document = documentOf(WIDEST)
const names = ROUTE_LIST.map(({ name }) => name)

const operationsOf = (of: OpenApiDocument): readonly Operation[] =>
  Object.values(of.paths).flatMap((item) => Object.values(item))

function operation(name: RouteName): Operation {
  const found = operationsOf(document).find(({ operationId }) => operationId === name)
  expect(found, name).toBeDefined()
  return found as Operation
}

describe.each(['0.7', '1.3.1', '1.6.0', '1.10', '1.11'])('the document of %s', (version) => {
  test('is valid against the official OpenAPI 3.1 schema, with every reference in place', async () => {
    const validator = new Validator()
    const result = await validator.validate(structuredClone(documentOf(version)) as never)
    expect(result).toEqual({ valid: true })
    expect(validator.version).toBe('3.1')
  })

  test('has an operation for every endpoint whose gate is open, and for no other (spec 9)', () => {
    const profile = profileOf(parseServiceVersion(version))
    const open = ROUTE_LIST.filter(({ gate }) => gate === undefined || profile.has(gate)).map(
      ({ name }) => name,
    )
    const described = operationsOf(documentOf(version)).map(({ operationId }) => operationId)
    expect(described.toSorted()).toEqual(open.toSorted())
  })
})

test('the validator refuses a document that is not valid', async () => {
  const broken = { ...structuredClone(document), paths: { 'no-slash': {} } }
  expect(await new Validator().validate(broken as never)).toMatchObject({ valid: false })
})

describe('examples', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document as unknown as Record<string, unknown>, 'document')

  function expectValid(media: MediaType, value: unknown) {
    const schema = JSON.parse(JSON.stringify(media.schema).replaceAll('"#/', '"document#/'))
    const validate = ajv.compile(schema)
    validate(value)
    expect(validate.errors ?? []).toEqual([])
  }

  test.each(names)('%s: its example answers pass its schema, in zod and as JSON Schema', (name) => {
    const { content = {} } = operation(name).responses[200] ?? {}
    const examples = Object.values(EXAMPLES[name].answers)
    expect(examples.length).toBeGreaterThan(0)
    for (const { value } of examples) {
      expect(routeOf(name).schemas.answer.safeParse(value).error).toBeUndefined()
      const [first] = Object.values(content)
      expectValid(first as MediaType, value)
    }
  })

  test.each(names.filter((name) => routeOf(name).schemas.body))(
    '%s: its example body passes its schema',
    (name) => {
      const { body } = EXAMPLES[name]
      const [media] = Object.values(operation(name).requestBody?.content ?? {})
      expectValid(media as MediaType, body)
      const { body: form, schemas } = routeOf(name)
      if (!schemas.body) throw new Error(`${name} takes no body`)
      if (form === 'json') decodeBody(schemas.body, JSON.stringify(body))
      else expect(schemas.body.safeParse(body).error).toBeUndefined()
    },
  )

  test('operations without a body have no example body', () => {
    for (const name of names) {
      expect('body' in EXAMPLES[name], name).toBe(routeOf(name).schemas.body !== undefined)
    }
  })

  test('problem documents of every code pass the schema of problems', () => {
    const problem = { schema: { $ref: '#/components/schemas/Problem' } }
    const examples = Object.values(document.components.examples)
    expect(examples).toHaveLength(Object.keys(ACL_ERRORS).length)
    for (const { value } of examples) expectValid(problem, value)
  })
})

describe('operations', () => {
  test.each(names)('%s: shows its right, spec section, gate and the statuses of its errors', (name) => {
    const { right, spec, gate, refusals: codes } = routeOf(name)
    const found = operation(name)
    expect(found).toMatchObject({ 'x-latchkey-right': right, 'x-latchkey-spec': spec })
    expect(found['x-latchkey-gate']?.name).toBe(gate)
    const refusals = Object.entries(found.responses).filter(([status]) => status !== '200')
    expect(refusals.flatMap(([, response]) => response['x-latchkey-errors'])).toEqual(codes)
    for (const [status, response] of refusals) {
      for (const code of response['x-latchkey-errors'] ?? []) {
        expect(ACL_ERRORS[code as keyof typeof ACL_ERRORS].status).toBe(Number(status))
      }
    }
  })

  test('a read lists the options and headers of blocking queries (spec 4.1)', () => {
    const { parameters = [], responses } = operation('tokens.read')
    expect(parameters.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['AccessorID', 'expanded', 'index', 'wait', 'stale', 'consistent', 'ns']),
    )
    expect(Object.keys(responses[200]?.headers ?? {})).toEqual(
      expect.arrayContaining(['X-Service-Index', 'X-Service-KnownLeader', 'X-Service-LastContact']),
    )
  })

  test('self takes no namespace, and cannot be asked without a token (spec 4.4)', () => {
    const { parameters = [], security } = operation('tokens.self')
    expect(parameters.map(({ name }) => name)).not.toContain('ns')
    expect(security).toEqual([{ token: [] }, { bearer: [] }, { query: [] }])
  })

  test('only the extended edition has namespaces and their options (spec 4.9)', () => {
    const standard = JSON.stringify(documentOf('1.11', 'standard').paths)
    for (const mark of ['/v1/namespace', '"ns"', '"authmethod-ns"', '"X-Service-Namespace"']) {
      expect(standard).not.toContain(mark)
      expect(JSON.stringify(document.paths)).toContain(mark)
    }
  })

  test('headers have the requested family', () => {
    const other = buildOpenApi({ profile: profileOf(parseServiceVersion('1.11')), headerPrefix: 'X-Other-' })
    const text = JSON.stringify(other)
    expect(text).toContain('X-Other-Token')
    expect(text).not.toContain('"X-Service-')
  })
})

describe('schemas', () => {
  const fieldsOf = (
    owner: string,
    schema: JsonSchema,
  ): { owner: string; field: string; described: boolean }[] => [
    ...Object.entries(schema.properties ?? {}).flatMap(([field, value]) => [
      { owner, field, described: Boolean(value.description) },
      ...fieldsOf(`${owner}.${field}`, value),
    ]),
    ...(schema.items ? fieldsOf(owner, schema.items) : []),
    ...(schema.anyOf ?? []).flatMap((part) => fieldsOf(owner, part)),
  ]
  const all = Object.entries(document.components.schemas).flatMap(([id, schema]) => fieldsOf(id, schema))

  test('every field is described', () => {
    expect(all.filter(({ described }) => !described).map(({ owner, field }) => `${owner}.${field}`)).toEqual(
      [],
    )
  })

  test('a name that the rules require is required in the document, although its schema has a default (spec 2.4, 2.5)', () => {
    const { ServiceIdentity, NodeIdentity } = document.components.schemas
    expect(ServiceIdentity?.required).toEqual(['ServiceName'])
    expect(NodeIdentity?.required).toEqual(['NodeName', 'Datacenter'])
  })

  test('a body has the fields of its service version, and others are refused from 1.7.0 (spec 9.1, 9.3)', () => {
    const body = (version: string) => documentOf(version).components.schemas.TokenCreate
    expect(Object.keys(body('1.4.0')?.properties ?? {})).not.toContain('Roles')
    expect(Object.keys(body('1.5.0')?.properties ?? {})).toContain('Roles')
    expect(Object.keys(body('1.8.0')?.properties ?? {})).not.toContain('NodeIdentities')
    expect(Object.keys(body('1.8.1')?.properties ?? {})).toContain('NodeIdentities')
    expect(body('1.6.9')).not.toHaveProperty('additionalProperties')
    expect(body('1.7.0')?.additionalProperties).toBe(false)
  })

  test('shows a bound in bytes as such (decisions: decoding)', () => {
    expect(document.components.schemas.TokenCreate?.properties?.Description).toMatchObject({
      maxLength: 4096,
      'x-latchkey-bytes-max': 4096,
    })
  })
})
