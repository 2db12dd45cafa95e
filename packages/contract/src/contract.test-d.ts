/** What the compiler infers from the contract, and what it refuses. */
import { type ClientInferResponses, initClient } from '@ts-rest/core'
import { describe, expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import type { AclErrorCode } from './errors.ts'
import {
  type Answer,
  type Body,
  type BodyInput,
  type Contract,
  contract,
  ENDPOINTS,
  type EndpointName,
  type ExpandedToken,
  type Params,
  type Query,
  type QueryInput,
  type RefusalCode,
  ROUTES,
  type RouteName,
  type RouteOf,
  type RouteWithBody,
  type Token,
  type TokenListEntry,
} from './index.ts'
import { get, put } from './route.ts'
import { query } from './shared/query.ts'

describe('routes', () => {
  test('methods and paths are literals', () => {
    expectTypeOf(contract.tokens.create.method).toEqualTypeOf<'PUT'>()
    expectTypeOf(contract.tokens.create.path).toEqualTypeOf<'/v1/acl/token'>()
    expectTypeOf(contract.kv.read.path).toEqualTypeOf<'/v1/kv/:Key'>()
    expectTypeOf(ROUTES['legacy.translate'].method).toEqualTypeOf<'POST'>()
    expectTypeOf<RouteOf<'tokens.self'>>().toEqualTypeOf<Contract['tokens']['self']>()
  })

  test('metadata keeps its literals', () => {
    expectTypeOf(contract.tokens.read.metadata.right).toEqualTypeOf<'acl:read'>()
    expectTypeOf(contract.tokens.read.metadata.blocking).toEqualTypeOf<'tokens'>()
    expectTypeOf(contract.tokens.read.metadata.errors).toEqualTypeOf<
      readonly ['id_missing', 'id_invalid', 'not_found', 'answer_too_large']
    >()
  })

  test('the plain table has the names of the contract', () => {
    expectTypeOf<RouteName>()
      .extract<`namespaces.${string}`>()
      .toEqualTypeOf<
        | 'namespaces.create'
        | 'namespaces.read'
        | 'namespaces.update'
        | 'namespaces.delete'
        | 'namespaces.list'
      >()
    expectTypeOf<EndpointName>().toEqualTypeOf<RouteName>()
  })

  test('the plain table has the methods, paths and facts of the contract', () => {
    expectTypeOf<{
      [N in RouteName]: `${(typeof ENDPOINTS)[N]['method']} /v1${(typeof ENDPOINTS)[N]['path']}`
    }>().toEqualTypeOf<{ [N in RouteName]: `${RouteOf<N>['method']} ${RouteOf<N>['path']}` }>()
    expectTypeOf<{ [N in RouteName]: (typeof ENDPOINTS)[N]['right'] }>().toEqualTypeOf<{
      [N in RouteName]: RouteOf<N>['metadata']['right']
    }>()
    expectTypeOf(ENDPOINTS['tokens.read'].query).toEqualTypeOf<readonly ['expanded']>()
  })
})

describe('bodies, queries and answers', () => {
  test('bodies as callers write them and as handlers receive them', () => {
    expectTypeOf<BodyInput<'tokens.create'>['ExpirationTTL']>().toEqualTypeOf<string | number | undefined>()
    expectTypeOf<Body<'tokens.create'>['ExpirationTTL']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Body<'tokens.create'>['ExpirationTime']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<BodyInput<'policies.create'>['Name']>().toEqualTypeOf<string>()
    expectTypeOf<Body<'legacy.translate'>>().toEqualTypeOf<string>()
    expectTypeOf<Body<'tokens.read'>>().toEqualTypeOf<undefined>()
    expectTypeOf<Body<'tokens.bootstrap'>>().toEqualTypeOf<undefined>()
    expectTypeOf<'tokens.create'>().toExtend<RouteWithBody>()
    expectTypeOf<'tokens.read'>().not.toExtend<RouteWithBody>()
  })

  test('an invalid body does not compile', () => {
    expectTypeOf<{ ExpirationTTL: string }>().not.toExtend<BodyInput<'tokens.update'>>()
    expectTypeOf<{ AuthMethod: string }>().not.toExtend<BodyInput<'tokens.create'>>()
    expectTypeOf<{ Name: string; Hash: string }>().not.toExtend<BodyInput<'policies.create'>>()
    expectTypeOf<{ Local: boolean }>().not.toExtend<BodyInput<'tokens.clone'>>()
    // Existing clients still send it, so the rules still receive it.
    expectTypeOf<Body<'tokens.update'>['ExpirationTTL']>().toEqualTypeOf<number | undefined>()
  })

  test('a record that was read can be sent back to an update', () => {
    expectTypeOf<Token>().toExtend<BodyInput<'tokens.update'>>()
    expectTypeOf<Answer<'policies.read'>>().toExtend<BodyInput<'policies.update'>>()
    expectTypeOf<Answer<'roles.read'>>().toExtend<BodyInput<'roles.update'>>()
    expectTypeOf<Answer<'namespaces.read'>>().toExtend<BodyInput<'namespaces.update'>>()
  })

  test('answers', () => {
    expectTypeOf<Answer<'tokens.create'>>().toEqualTypeOf<Token>()
    expectTypeOf<Answer<'tokens.read'>>().toEqualTypeOf<Token | ExpandedToken>()
    expectTypeOf<Answer<'tokens.list'>>().toEqualTypeOf<TokenListEntry[]>()
    expectTypeOf<Answer<'tokens.delete'>>().toEqualTypeOf<boolean>()
  })

  test('queries as callers write them and as handlers receive them', () => {
    expectTypeOf<Query<'tokens.read'>['expanded']>().toEqualTypeOf<true | undefined>()
    expectTypeOf<Query<'tokens.read'>['index']>().toEqualTypeOf<number | undefined>()
    expectTypeOf<Query<'tokens.list'>['sort']>().toEqualTypeOf<'CreateIndex' | '-CreateIndex' | undefined>()
    expectTypeOf<QueryInput<'tokens.list'>['limit']>().toEqualTypeOf<string | number | undefined>()
    expectTypeOf<Query<'tokens.create'>>().not.toHaveProperty('index')
    expectTypeOf<Query<'tokens.self'>>().not.toHaveProperty('ns')
  })

  test('path parameters', () => {
    expectTypeOf<Params<'tokens.clone'>>().toEqualTypeOf<Readonly<Record<'AccessorID', string>>>()
    expectTypeOf<keyof Params<'tokens.list'>>().toEqualTypeOf<never>()
  })

  test('refusals: those of the route, and those implied by its metadata', () => {
    expectTypeOf<'id_in_use'>().toExtend<RefusalCode<'tokens.create'>>()
    expectTypeOf<'legacy_mode'>().toExtend<RefusalCode<'tokens.create'>>()
    expectTypeOf<'body_too_large'>().toExtend<RefusalCode<'tokens.create'>>()
    expectTypeOf<RefusalCode<'tokens.self'>>().extract<'privilege_missing' | 'body_too_large'>().toBeNever()
    expectTypeOf<RefusalCode<RouteName>>().toExtend<AclErrorCode>()
    expectTypeOf<Contract['tokens']['delete']['responses']>().not.toHaveProperty(409)
    expectTypeOf<keyof Contract['tokens']['create']['responses']>().toEqualTypeOf<
      200 | 400 | 401 | 403 | 404 | 408 | 409 | 413 | 414 | 421 | 429 | 500 | 503 | 504
    >()
  })
})

describe('an incomplete route does not compile', () => {
  const parts = { summary: 'x', description: 'x', query: query({}) }
  const metadata = { right: 'none', spec: '4.2', errors: [] } as const
  const answer = z.string()

  test('a write without a decision where it goes, and such a decision for a read', () => {
    // @ts-expect-error no writes
    put('/v1/x', answer, { ...parts, metadata })
    put('/v1/x', answer, { ...parts, metadata: { ...metadata, writes: 'token' } })
    // @ts-expect-error a read
    get('/v1/x', answer, { ...parts, metadata: { ...metadata, writes: 'global' } })
  })
})

describe('the client of ts-rest', () => {
  const client = initClient(contract, { baseUrl: '' })

  test('accepts valid calls', () => {
    expectTypeOf(client.tokens.create).toBeCallableWith({ body: { Description: 'a', ExpirationTTL: '1h' } })
    expectTypeOf(client.tokens.read).toBeCallableWith({
      params: { AccessorID: 'a' },
      query: { expanded: true },
    })
    expectTypeOf(client.tokens.list).toBeCallableWith({ query: { policy: 'a', limit: 10 } })
  })

  test('refuses invalid calls', () => {
    const never = () => [
      // @ts-expect-error a field that a create does not take
      client.tokens.create({ body: { Descripton: 'a' } }),
      // @ts-expect-error an update has no ExpirationTTL
      client.tokens.update({ params: { AccessorID: 'a' }, body: { ExpirationTTL: '1h' } }),
      // @ts-expect-error a path parameter is missing
      client.tokens.read({}),
      // @ts-expect-error no such query option
      client.tokens.list({ query: { polcy: 'a' } }),
      // @ts-expect-error no such endpoint
      client.tokens.nothing({}),
    ]
    expectTypeOf(never).returns.toBeArray()
  })

  test('types every answer by its status', () => {
    type Created = ClientInferResponses<Contract['tokens']['create']>
    expectTypeOf<Extract<Created, { status: 200 }>['body']>().toEqualTypeOf<Token>()
    type InUse = Exclude<Extract<Created, { status: 409 }>['body'], string>
    expectTypeOf<InUse['code']>().toEqualTypeOf<'id_in_use'>()
  })
})
