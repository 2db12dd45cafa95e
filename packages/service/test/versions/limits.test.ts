/** Spec 8, row by row, at versions on both sides of every boundary, except for connections. */

import { MANAGEMENT, START, type World } from '@latchkey/testkit/service/world'
import { describe, test } from 'vitest'
import { expectSince, type Since } from './rows.ts'

const token = MANAGEMENT
const inMs = (ms: number) => new Date(START + ms).toISOString()
const created = (body: object) => async (world: World) => {
  const reply = await world.ask('PUT', '/acl/token', { token, body })
  return reply.code ?? reply.status
}

/** The answers without the field, and with it. */
const from1_5 = (answer: unknown): Since => [
  ['0.7', 'endpoint_unknown'],
  ['1.4.0', 200],
  ['1.5.0', answer],
]
const from1_8_1 = (answer: unknown): Since => [
  ['0.7', 'endpoint_unknown'],
  ['1.4.0', 200],
  ['1.7.0', 'field_unknown'],
  ['1.8.1', answer],
]

describe('ExpirationTime and ExpirationTTL: 1 minute to 24 hours, both inclusive', () => {
  test.each([
    ['ExpirationTTL', '59.999s', 'expiration_out_of_bounds'],
    ['ExpirationTTL', '1m', 200],
    ['ExpirationTTL', '24h', 200],
    ['ExpirationTTL', '24h0.001s', 'expiration_out_of_bounds'],
    ['ExpirationTime', inMs(59_999), 'expiration_out_of_bounds'],
    ['ExpirationTime', inMs(60_000), 200],
    ['ExpirationTime', inMs(86_400_000), 200],
    ['ExpirationTime', inMs(86_400_001), 'expiration_out_of_bounds'],
  ])('%s %s', (field, value, answer) => expectSince(from1_5(answer), created({ [field]: value })))
})

describe('ServiceName and NodeName: at most 256 characters', () => {
  const identity = (length: number) => ({ ServiceIdentities: [{ ServiceName: 'a'.repeat(length) }] })
  const node = (length: number) => ({ NodeIdentities: [{ NodeName: 'a'.repeat(length), Datacenter: 'dc1' }] })

  test.each([
    [256, 200],
    [257, 'name_invalid'],
  ])('a ServiceName of %i', (length, answer) => expectSince(from1_5(answer), created(identity(length))))

  test.each([
    [256, 200],
    [257, 'name_invalid'],
  ])('a NodeName of %i', (length, answer) => expectSince(from1_8_1(answer), created(node(length))))
})
