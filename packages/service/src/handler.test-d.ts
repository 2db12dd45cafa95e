/** The types of handlers, and what does not compile. */
import type { TokenRecord } from '@latchkey/acl'
import type { AuthorizeCheck, CreateToken, RouteName, Token } from '@latchkey/contract'
import { describe, expectTypeOf, test } from 'vitest'
import { HANDLERS } from './generated/handlers.ts'
import { type Answer, type Call, type Handler, json, missing, notFound } from './handler.ts'
import { type JsonText, jsonText } from './reply/json-text.ts'

const token = {} as Token
const { Hash: _, ...withoutHash } = token

describe('what a handler gets', () => {
  test('body, query and parameters of its route, decoded', () => {
    expectTypeOf<Call<'tokens.create'>['body']>().toEqualTypeOf<CreateToken>()
    expectTypeOf<Call<'decisions.authorize'>['body']>().toEqualTypeOf<AuthorizeCheck[]>()
    expectTypeOf<Call<'legacy.translate'>['body']>().toEqualTypeOf<string>()
    expectTypeOf<Call<'kv.write'>['body']>().toEqualTypeOf<Uint8Array>()
    expectTypeOf<Call<'tokens.read'>['body']>().toEqualTypeOf<undefined>()
    expectTypeOf<Call<'kv.write'>['query']['cas']>().toEqualTypeOf<bigint | undefined>()
    expectTypeOf<Call<'tokens.read'>['params']['AccessorID']>().toEqualTypeOf<string>()
    expectTypeOf<Call<'tokens.list'>['query']>().not.toHaveProperty('expanded')
  })
})

describe('an answer that breaks the contract does not compile', () => {
  test('a value', () => {
    const handlers: { readonly [name: string]: Handler<'tokens.create'> } = {
      whole: () => json(token),
      later: async () => json(token),
      // @ts-expect-error a field of another type
      wrong: () => json({ ...token, Local: 'false' }),
      // @ts-expect-error a field is missing
      missing: () => json(withoutHash),
      // @ts-expect-error a field that the answer does not have
      surplus: () => json({ ...token, Secret: '' }),
      // @ts-expect-error a field that the answer does not have, from an async handler
      surplusLater: async () => json({ ...token, Secret: '' }),
      // @ts-expect-error the record instead of its rendered form
      record: () => json({} as TokenRecord),
      // @ts-expect-error another route's answer
      other: () => json(true),
    }
    expectTypeOf(handlers).toBeObject()
  })

  test('prerendered text', () => {
    const answer = (text: JsonText<Token>): Answer<'tokens.self'> => ({ body: { kind: 'json-text', text } })
    answer(jsonText(token))
    // @ts-expect-error any text
    answer(JSON.stringify(token))
    // @ts-expect-error the text of something else
    answer(jsonText([token]))
  })

  test('a form that the route does not declare', () => {
    const bytes = new Uint8Array(0)
    const raw: Answer<'kv.read'> = { body: { kind: 'bytes', bytes, contentType: 'application/octet-stream' } }
    const text: Answer<'legacy.translate'> = { body: { kind: 'text', text: '' } }
    const absent: Answer<'tokens.read'> = missing(notFound('x'), { topic: 'tokens' })
    expectTypeOf([raw, text, absent]).toBeArray()
    // @ts-expect-error tokens are JSON
    const token: Answer<'tokens.read'> = { body: { kind: 'text', text: '' } }
    // @ts-expect-error no such type
    const other: Answer<'kv.read'> = { body: { kind: 'bytes', bytes, contentType: 'image/png' } }
    // @ts-expect-error rules are text
    const rules: Answer<'legacy.translate'> = json('')
    expectTypeOf([token, other, rules]).toBeArray()
  })
})

describe('the table of handlers', () => {
  test('has one for every route, and no other', () => {
    type Table = { readonly [N in RouteName]: Handler<N> }
    expectTypeOf(HANDLERS).toEqualTypeOf<Table>()
    expectTypeOf<Omit<typeof HANDLERS, 'tokens.read'>>().not.toExtend<Table>()
    // @ts-expect-error no such route
    const surplus: Table = { ...HANDLERS, 'tokens.nothing': HANDLERS['tokens.read'] }
    expectTypeOf(surplus).toBeObject()
  })
})
