import { growthOf, LINEAR_GROWTH_MAX } from '@latchkey/testkit/growth'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { authorizeRequestSchema } from '../decisions/routes.ts'
import { AclError, type AclErrorCode } from '../errors.ts'
import { legacyTokenRequestSchema } from '../legacy/routes.ts'
import { LINKS_MAX } from '../limits.ts'
import { createPolicySchema } from '../policies/routes.ts'
import { createRoleSchema } from '../roles/routes.ts'
import { ROUTE_LIST } from '../routes.ts'
import { ANY_CASE } from '../shared/fields.ts'
import { boundedText } from '../shared/text.ts'
import { createTokenSchema } from '../tokens/schemas.ts'
import { type DecodeOptions, decodeBody, decodeUtf8, decodeValue, type Schema } from './decode.ts'

function refusalOf(body: unknown, schema: Schema = createTokenSchema, options: DecodeOptions = {}) {
  try {
    decodeBody(schema, typeof body === 'string' ? body : JSON.stringify(body), options)
  } catch (error) {
    if (error instanceof AclError) {
      return { code: error.code, field: error.details.field, message: error.message }
    }
    throw error
  }
  return expect.fail(`accepted: ${JSON.stringify(body).slice(0, 200)}`)
}

function unionsOf(schema: unknown): readonly z.ZodUnion[] {
  if (schema instanceof z.ZodUnion) return [schema]
  if (schema instanceof z.ZodPipe) return unionsOf(schema.in)
  if (schema instanceof z.ZodArray) return unionsOf(schema.element)
  if (schema instanceof z.ZodRecord) return unionsOf(schema.valueType)
  if (schema instanceof z.ZodObject) return Object.values(schema.shape).flatMap(unionsOf)
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
  return isWrapped || schema instanceof z.ZodDefault ? unionsOf(schema.unwrap()) : []
}

describe('the body as a whole', () => {
  test.each(['', ' ', '\n\t\r '])('body_required: %j where one is required', (body) => {
    expect(refusalOf(body).code).toBe('body_required')
  })

  test('a missing optional body reads as {}, and so does null', () => {
    expect(decodeBody(legacyTokenRequestSchema, '', { optional: true })).toEqual({})
    expect(decodeBody(createTokenSchema, 'null')).toEqual({})
  })

  test.each([
    ['true', 'expected object, received boolean'],
    ['"text"', 'expected object, received string'],
    ['[]', 'expected object, received array'],
  ])('field_type: %s is not an object', (body, problem) => {
    expect(refusalOf(body)).toEqual({ code: 'field_type', field: undefined, message: `The body: ${problem}` })
  })

  test.each([
    ['bytes that are not UTF-8', Uint8Array.of(0x7b, 0xff, 0x7d)],
    ['a surrogate encoded on its own', Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ['an overlong slash', Uint8Array.of(0x22, 0xc0, 0xaf, 0x22)],
  ])('body_malformed: %s', (_name, bytes) => {
    expect(() => decodeUtf8(bytes)).toThrow(expect.objectContaining({ code: 'body_malformed' }))
  })

  test('a byte order mark is refused, not skipped', () => {
    expect(() => decodeBody(createTokenSchema, Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d))).toThrow(
      expect.objectContaining({ code: 'body_malformed' }),
    )
  })

  test('keeps strings verbatim', () => {
    const Description = ' a\u0000b\ud800 é e\u0301 <hidden> \u202e'
    expect(decodeBody(createTokenSchema, JSON.stringify({ Description })).Description).toBe(Description)
  })
})

describe('unknown fields (spec 9.3, 1.7.0)', () => {
  const CASES: readonly [object, string, string | undefined, Schema?][] = [
    [{ Foo: 1 }, 'Foo', undefined],
    [{ expiration_ttl: '60s' }, 'expiration_ttl', 'ExpirationTTL'],
    [{ Policie: [] }, 'Policie', 'Policies'],
    [{ Polocies: [] }, 'Polocies', 'Policies'],
    [{ constructor: 1 }, 'constructor', undefined],
    [{ '': 1 }, '', undefined],
    [{ Policies: [{}, { id: 'x' }] }, 'Policies[1].id', 'ID'],
    [{ Policies: [{ Nmae: 'x' }] }, 'Policies[0].Nmae', 'Name'],
    [{ ServiceIdentities: [{ Servicename: 'x' }] }, 'ServiceIdentities[0].Servicename', 'ServiceName'],
    [{ Rule: '' }, 'Rule', 'Rules', createPolicySchema],
    [[{ Resource: 'key', Acces: 'read' }], '[0].Acces', 'Access', authorizeRequestSchema],
  ]

  test.each(CASES)('%j: %s is named, %s suggested', (body, field, meant, schema) => {
    const hint = meant === undefined ? '' : ` (did you mean "${meant}"?)`
    expect(refusalOf(body, schema)).toEqual({
      code: 'field_unknown',
      field,
      message: `unknown field ${JSON.stringify(field)}${hint}`,
    })
  })

  test('truncates a long name in the error', () => {
    expect(refusalOf({ ['x'.repeat(100_000)]: 1 }).message.length).toBeLessThan(100)
  })

  test('below 1.7.0 they are ignored on every level, and other faults are still refused', () => {
    const ignore = { unknownFields: 'ignore' } as const
    const body = { Foo: 1, Policies: [{ ID: 'x', Bar: {} }], description: 'no', CreateTime: 7 }
    expect(decodeBody(createTokenSchema, JSON.stringify(body), ignore)).toEqual({
      Policies: [{ ID: 'x' }],
      CreateTime: 7,
    })
    expect(refusalOf({ Foo: 1, Local: 'yes' }, createTokenSchema, ignore)).toMatchObject({
      code: 'field_type',
      field: 'Local',
    })
    expect(
      refusalOf({ Local: 'yes', Policies: [{ Bar: 1, ID: 2 }] }, createTokenSchema, ignore),
    ).toMatchObject({ code: 'field_type' })
  })

  test('a field of a later version is unknown or ignored; as null it is absent (spec 9.1)', () => {
    const absentFields = new Set(['Roles'])
    const body = { Roles: [{ Name: 'x' }], Description: 'd' }
    expect(refusalOf(body, createTokenSchema, { absentFields })).toMatchObject({
      code: 'field_unknown',
      field: 'Roles',
    })
    expect(
      decodeBody(createTokenSchema, JSON.stringify(body), { absentFields, unknownFields: 'ignore' }),
    ).toEqual({ Description: 'd' })
    expect(decodeBody(createTokenSchema, '{"Roles":null}', { absentFields })).toEqual({})
    expect(
      decodeBody(createRoleSchema, '{"Name":"r","Policies":[{"Name":"Roles"}]}', { absentFields }),
    ).toMatchObject({ Policies: [{ Name: 'Roles' }] })
  })
})

describe('null (decisions: decoding)', () => {
  test('counts as absent on every level', () => {
    const nulls = Object.fromEntries(Object.keys(createTokenSchema.shape).map((field) => [field, null]))
    expect(decodeValue(createTokenSchema, nulls)).toEqual({})
    expect(
      decodeValue(createTokenSchema, {
        Policies: [{ ID: null, Name: 'p' }],
        ServiceIdentities: [{ ServiceName: null, Datacenters: null }],
        NodeIdentities: [{ NodeName: 'n', Datacenter: null }],
      }),
    ).toEqual({
      Policies: [{ Name: 'p' }],
      ServiceIdentities: [{ ServiceName: '' }],
      NodeIdentities: [{ NodeName: 'n', Datacenter: '' }],
    })
  })

  test.each(['Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities'])(
    'an element of %s is refused',
    (field) => {
      expect(refusalOf({ [field]: [{}, null] })).toMatchObject({ code: 'field_type', field: `${field}[1]` })
    },
  )
})

describe('types', () => {
  const CASES: readonly (readonly [unknown, string, AclErrorCode])[] = [
    [{ AccessorID: 1 }, 'AccessorID', 'field_type'],
    [{ Policies: {} }, 'Policies', 'field_type'],
    [{ Policies: ['p'] }, 'Policies[0]', 'field_type'],
    [{ Policies: [{ ID: 1 }] }, 'Policies[0].ID', 'field_type'],
    [{ Local: 'true' }, 'Local', 'field_type'],
    [
      { ServiceIdentities: [{ ServiceName: 'a', Datacenters: 'dc1' }] },
      'ServiceIdentities[0].Datacenters',
      'field_type',
    ],
  ]
  test.each(CASES)('%j is refused at %s', (body, field, code) => {
    expect(refusalOf(body)).toMatchObject({ code, field })
  })

  test.each<readonly [string, string, AclErrorCode, string]>([
    ['{}', 'Needed', 'field_type', 'Needed is required'],
    ['{"Needed":"a","Count":1e20}', 'Count', 'field_type', 'Count: expected int to be <=9007199254740991'],
    ['{"Needed":"a","Count":-1}', 'Count', 'field_type', 'Count: expected number to be >=0'],
    ['{"Needed":"a","Map":{"äää":""}}', 'Map.äää', 'field_too_long', 'Map.äää must be at most 4 bytes long'],
  ])('%s: %s is refused as %s: %s', (body, field, code, message) => {
    const schema = z.strictObject({
      Needed: z.string(),
      Count: z.int().min(0).optional(),
      Map: z.record(boundedText(4), z.string()).optional(),
    })
    expect(refusalOf(body, schema)).toEqual({ code, field, message })
  })

  test('every choice of types in a body says in words what is expected', () => {
    const unions = ROUTE_LIST.flatMap(({ name, schemas }) =>
      unionsOf(schemas.body).map((union) => [name, union.safeParse({}).error?.issues[0]?.message]),
    )
    expect(unions.length).toBeGreaterThan(5)
    for (const [name, message] of unions) expect(message, name).toMatch(/^expected /)
  })

  test('ignores fields that the service sets, whatever their value', () => {
    for (const value of ['x', 5, true, {}, [null]]) {
      const body = { CreateTime: value, Hash: value, CreateIndex: value, ModifyIndex: value }
      expect(() => decodeValue(createTokenSchema, body)).not.toThrow()
    }
  })
})

describe('bounds (decisions: decoding)', () => {
  test('batch_too_large: a list has at most the entries of its batch; the bound itself passes', () => {
    const batch = { max: 2, of: 'authorizations' }
    const checks = (count: number) =>
      Array.from({ length: count }, () => ({ Resource: 'acl', Access: 'read' }))
    expect(decodeBody(authorizeRequestSchema, JSON.stringify(checks(2)), { batch })).toHaveLength(2)
    const refused = () => decodeBody(authorizeRequestSchema, JSON.stringify(checks(3)), { batch })
    expect(refused).toThrow(expect.objectContaining({ code: 'batch_too_large' }))
  })

  test('lists in a map of any JSON, such as claims, have no bound of their own', () => {
    const schema = z.strictObject({ Claims: z.record(z.string(), z.unknown()) })
    const body = { Claims: { groups: Array.from({ length: LINKS_MAX + 1 }, (_, i) => [i, null]) } }
    expect(decodeValue(schema, body)).toEqual(body)
  })

  test.each(['Policies', 'Roles', 'ServiceIdentities', 'NodeIdentities'])(
    `${LINKS_MAX} %s pass, one more is refused before the first is checked`,
    (field) => {
      const links = (count: number) => ({ [field]: Array.from({ length: count }, () => ({})) })
      expect(decodeValue(createTokenSchema, links(LINKS_MAX))).toBeDefined()
      const refusal = { code: 'field_too_long', field }
      expect(refusalOf(links(LINKS_MAX + 1))).toMatchObject(refusal)
      expect(refusalOf({ [field]: Array.from({ length: LINKS_MAX + 1 }, () => 1) })).toMatchObject(refusal)
    },
  )

  test('nested lists have their own bound', () => {
    const identity = (count: number) => ({
      ServiceIdentities: [{ ServiceName: 'a', Datacenters: Array.from({ length: count }, () => 'dc1') }],
    })
    expect(decodeValue(createTokenSchema, identity(100))).toBeDefined()
    expect(refusalOf(identity(101))).toEqual({
      code: 'field_too_long',
      field: 'ServiceIdentities[0].Datacenters',
      message: 'ServiceIdentities[0].Datacenters must have at most 100 entries',
    })
  })

  test.each<readonly [string, (size: number) => string, Schema]>([
    ['numbers', (size) => `[${'1,'.repeat(size)}1]`, authorizeRequestSchema],
    ['invalid links', (size) => `{"Policies":[${'1,'.repeat(size)}1]}`, createTokenSchema],
    [
      'names',
      (size) => `{${Array.from({ length: size }, (_, i) => `"k${i}":1`).join(',')}}`,
      createTokenSchema,
    ],
  ])('DOS-04: 100,000 %s are refused in linear time', (_name, body, schema) => {
    const growth = growthOf(100_000, body, (text) => {
      expect(refusalOf(text, schema).code).toMatch(/^field_/)
    })
    expect(growth).toBeLessThan(LINEAR_GROWTH_MAX)
  })

  test('DOS-04: of the wrong entries of each inner list one is described', () => {
    let described = 0
    const error = () => {
      described += 1
      return 'must be a text'
    }
    const identity = z.strictObject({ Datacenters: z.array(z.string({ error })) })
    const wrong = { Datacenters: Array.from({ length: 100 }, () => 1) }
    const body = { ServiceIdentities: Array.from({ length: 50 }, () => wrong) }
    const schema = z.strictObject({ ServiceIdentities: z.array(identity) })
    expect(refusalOf(body, schema).field).toBe('ServiceIdentities[0].Datacenters[0]')
    expect(described).toBe(50)
  })
})

describe('loose names (decisions: agent)', () => {
  const schema = z.strictObject({
    ServiceID: z.string().optional(),
    Header: z.record(z.string(), z.string()).optional(),
    Checks: z.array(z.object({ TTL: z.string().optional() })).nullish(),
    Addresses: z.record(z.string(), z.strictObject({ Port: z.int().optional() })).optional(),
  })
  const loose = { looseNames: true } as const
  const read = (body: object, options: DecodeOptions = loose) =>
    decodeBody(schema, JSON.stringify(body), options)

  test('match without case and underscores, at any depth, but keys of maps are no names', () => {
    const body = {
      service_id: 'a',
      header: { x_y: '1' },
      CHECKS: [{ ttl: '1s' }],
      addresses: { l_n: { port: 5 } },
    }
    expect(read(body)).toEqual({
      ServiceID: 'a',
      Header: { x_y: '1' },
      Checks: [{ TTL: '1s' }],
      Addresses: { l_n: { Port: 5 } },
    })
    expect(read({ serviceid: null, addresses: { lan: { port: null } } })).toEqual({ Addresses: { lan: {} } })
    expect(() => read({ service: 'a' })).toThrow('unknown field')
    expect(() => read({ service_id: 'a' }, {})).toThrow('unknown field')
  })

  test('an unknown field inside a map or a list is named with its path, or ignored', () => {
    const cases = [
      [{ Addresses: { lan: { Foo: 1 } } }, 'Addresses.lan.Foo'],
      [{ Checks: [{ Foo: 1 }] }, 'Checks[0].Foo'],
    ] as const
    for (const [body, field] of cases) {
      expect(refusalOf(body, schema)).toMatchObject({ code: 'field_unknown', field })
      expect(read(body, { unknownFields: 'ignore' })).not.toHaveProperty(field)
    }
  })

  test.each<readonly [object, string]>([
    [{ ServiceID: 'a', service_id: 'b' }, 'ServiceID'],
    [{ service_id: 'a', SERVICEID: 'a' }, 'ServiceID'],
    [{ ServiceId: null, service_id: null }, 'ServiceID'],
    [{ checks: [{ TTL: '1s', ttl: '1s' }] }, 'Checks[0].TTL'],
    [{ Addresses: { lan: { port: 1, PORT: 1 } } }, 'Addresses.lan.Port'],
  ])('%j: two spellings of one field are a duplicate (decisions: strict bodies)', (body, field) => {
    for (const unknownFields of ['refuse', 'ignore'] as const) {
      expect(refusalOf(body, schema, { ...loose, unknownFields })).toMatchObject({
        code: 'body_malformed',
        field,
      })
    }
  })

  test('keys of maps and unknown fields that differ in case are no duplicates', () => {
    expect(read({ Header: { a: '1', A: '2' } })).toEqual({ Header: { a: '1', A: '2' } })
    expect(read({ x: 1, X: 2 }, { ...loose, unknownFields: 'ignore' })).toEqual({})
  })

  test('an object whose names match without case: only its own names, and not without underscores', () => {
    const config = z.strictObject({ CACert: z.string().optional(), Maps: z.record(z.string(), z.string()) })
    const method = z.strictObject({
      Config: config
        .partial()
        .meta({ [ANY_CASE]: true })
        .optional(),
    })
    const body = { Config: { CaCert: 'pem', maps: { a: '1', A: '2' } } }
    expect(decodeBody(method, JSON.stringify(body))).toEqual({
      Config: { CACert: 'pem', Maps: { a: '1', A: '2' } },
    })
    for (const [wrong, code, field] of [
      [{ config: {} }, 'field_unknown', 'config'],
      [{ Config: { ca_cert: 'pem' } }, 'field_unknown', 'Config.ca_cert'],
      [{ Config: { CaCert: 'pem', cacert: 'pem' } }, 'body_malformed', 'Config.CACert'],
      [{ Config: { CaCert: null, CACert: 'pem' } }, 'body_malformed', 'Config.CACert'],
    ] as const)
      expect(refusalOf(wrong, method)).toMatchObject({ code, field })
  })

  test('a field of a later version is unknown in any spelling', () => {
    const absentFields = new Set(['ServiceID'])
    expect(refusalOf({ service_id: 'a' }, schema, { ...loose, absentFields })).toMatchObject({
      code: 'field_unknown',
      field: 'service_id',
    })
    expect(read({ service_id: 'a' }, { ...loose, absentFields, unknownFields: 'ignore' })).toEqual({})
  })
})
