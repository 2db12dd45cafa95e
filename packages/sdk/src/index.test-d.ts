/** Type tests, including what must not compile. Checked by `pnpm typecheck`. */
import type * as contract from '@latchkey/contract'
import { expectTypeOf, test } from 'vitest'
import {
  type AuthorizeAnswer,
  type Client,
  Conflict,
  createClient,
  type ExpandedToken,
  Invalid,
  type KVEntry,
  type LatchkeyError,
  NotFound,
  PermissionDenied,
  type Policy,
  type PolicyCreate,
  type Role,
  type RoleCreate,
  type Token,
  type TokenCreate,
  type TokenListEntry,
  type TokenUpdate,
  type WithMeta,
} from './index.ts'

const client = createClient({ address: 'http://127.0.0.1:1', env: false })

/** Replaces `?: T | undefined` with `?: T`, deeply: answers are as exact as JSON. */
type Exact<T> = T extends readonly (infer E)[]
  ? Exact<E>[]
  : T extends object
    ? { [K in keyof T]: Exact<Exclude<T[K], OptionalUndefined<T, K>>> }
    : T
type OptionalUndefined<T, K extends keyof T> = object extends Pick<T, K> ? undefined : never

test('answers are the records of the contract', () => {
  expectTypeOf<Token>().toEqualTypeOf<Exact<contract.Token>>()
  expectTypeOf<TokenListEntry>().toEqualTypeOf<Exact<contract.TokenListEntry>>()
  expectTypeOf<ExpandedToken>().toExtend<Token>()
  expectTypeOf<keyof ExpandedToken>().toEqualTypeOf<keyof contract.ExpandedToken>()
  expectTypeOf<Policy>().toEqualTypeOf<Exact<contract.Policy>>()
  expectTypeOf<Role>().toEqualTypeOf<Exact<contract.Role>>()
  expectTypeOf<KVEntry>().toEqualTypeOf<Exact<contract.KvEntry>>()
  expectTypeOf<AuthorizeAnswer>().toEqualTypeOf<Exact<contract.AuthorizeAnswer>>()
})

test('bodies are what the contract takes', () => {
  expectTypeOf<contract.BodyInput<'tokens.create'>['ExpirationTTL']>().toEqualTypeOf<
    TokenCreate['ExpirationTTL']
  >()
  expectTypeOf<keyof TokenCreate>().toEqualTypeOf<Offered<'tokens.create'>>()
  expectTypeOf<keyof TokenUpdate>().toEqualTypeOf<Offered<'tokens.update'>>()
  expectTypeOf<keyof PolicyCreate>().toEqualTypeOf<Offered<'policies.create'>>()
  expectTypeOf<keyof RoleCreate>().toEqualTypeOf<Offered<'roles.create'>>()
  expectTypeOf<contract.BodyInput<'policies.create'>>().toExtend<PolicyCreate>()
})

test('methods return records; a withMeta client returns them with their facts', () => {
  expectTypeOf(client.tokens.self()).resolves.toEqualTypeOf<Token>()
  expectTypeOf(client.tokens.list()).resolves.toEqualTypeOf<TokenListEntry[]>()
  expectTypeOf(client.kv.getRaw('a')).resolves.toEqualTypeOf<Uint8Array>()
  const full = client.withMeta()
  expectTypeOf(full.tokens.self()).resolves.toEqualTypeOf<WithMeta<Token>>()
  expectTypeOf(full.withToken('x').kv.get('a')).resolves.toEqualTypeOf<WithMeta<KVEntry>>()
  expectTypeOf(client.withToken('x')).toEqualTypeOf<Client>()
})

test('expanded changes the answer', () => {
  expectTypeOf(client.tokens.read('a', { expanded: true })).resolves.toEqualTypeOf<ExpandedToken>()
  expectTypeOf(client.tokens.read('a', { consistency: 'stale' })).resolves.toEqualTypeOf<Token>()
  const expanded = Boolean(client)
  expectTypeOf(client.tokens.read('a', { expanded })).resolves.toEqualTypeOf<Token>()
})

test('authorize answers a tuple for a tuple', () => {
  const check = { Resource: 'key', Segment: 'a', Access: 'read' } as const
  expectTypeOf(client.authorize([check, check])).resolves.toEqualTypeOf<[AuthorizeAnswer, AuthorizeAnswer]>()
  const checks = [check] as (typeof check)[]
  expectTypeOf(client.authorize(checks)).resolves.toEqualTypeOf<AuthorizeAnswer[]>()
})

test('a watch yields states with their index; a record may be absent, a list and self may not', async () => {
  for await (const state of client.tokens.watch('a')) {
    expectTypeOf(state.value).toEqualTypeOf<Token | undefined>()
    expectTypeOf(state.index).toEqualTypeOf<number | undefined>()
  }
  for await (const state of client.tokens.watchSelf()) expectTypeOf(state.value).toEqualTypeOf<Token>()
  for await (const state of client.tokens.watchList({ role: 'r' })) {
    expectTypeOf(state.value).toEqualTypeOf<TokenListEntry[]>()
  }
})

test('an error narrows by class and by kind', () => {
  const error: unknown = undefined
  if (error instanceof PermissionDenied)
    expectTypeOf(error.missing?.access).toEqualTypeOf<string | undefined>()
  if (error instanceof Invalid) expectTypeOf(error.field).toEqualTypeOf<string | undefined>()
  if (error instanceof NotFound) expectTypeOf(error.kind).toEqualTypeOf<'not_found'>()
  if (error instanceof Conflict) expectTypeOf(error).toExtend<LatchkeyError>()
})

test('a record can be sent back as read', () => {
  expectTypeOf<Token>().toExtend<TokenUpdate>()
  expectTypeOf<Policy>().toExtend<Parameters<typeof client.policies.update>[1]>()
  expectTypeOf<Role>().toExtend<Parameters<typeof client.roles.update>[1]>()
})

test('mistakes do not compile', () => {
  // @ts-expect-error a field that does not exist
  void client.tokens.create({ Desciption: 'x' })
  // @ts-expect-error a field of another type
  void client.tokens.create({ Local: 'yes' })
  // @ts-expect-error an expiration cannot be changed (spec 4.5.6)
  void client.tokens.update('a', { ExpirationTTL: '1h' })
  // @ts-expect-error a clone takes description and namespace alone (spec 4.6)
  void client.tokens.clone('a', { Local: true })
  // @ts-expect-error a policy needs a name
  void client.policies.create({ Rules: '' })
  // @ts-expect-error a service identity needs a name (spec 2.4)
  void client.tokens.create({ ServiceIdentities: [{}] })
  // @ts-expect-error a filter that does not exist (spec 4.8)
  void client.tokens.list({ polcy: 'x' })
  // @ts-expect-error a mode that does not exist (spec 4.1)
  void client.tokens.self({ consistency: 'eventual' })
  // @ts-expect-error a write has no consistency mode (spec 4.1)
  void client.tokens.create({}, { consistency: 'stale' })
  // @ts-expect-error a write cannot wait for an index
  void client.tokens.delete('a', { index: 7 })
  // @ts-expect-error an accessor is text
  void client.tokens.read(7)
  // @ts-expect-error settings do not show their secret
  void client.token
})

/** The fields of a body that its type offers; the others accept no value. */
type Offered<N extends contract.RouteWithBody> = {
  [K in keyof contract.BodyInput<N>]-?: [contract.BodyInput<N>[K]] extends [undefined] ? never : K
}[keyof contract.BodyInput<N>]
