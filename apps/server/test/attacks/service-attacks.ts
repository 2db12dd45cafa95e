/** Attacks on the endpoints beyond tokens and keys: transactions, catalog, health, sessions, archives, the console. */
import { anId } from '@latchkey/testkit/records/record-builders'
import { type Attack, by, compressed, floodOf, json, MANAGEMENT, MEGABYTE, NARROW, put } from './attacks.ts'

/** As many operations as a transaction may have, of 6 KB each. */
const transaction = (below: string) =>
  json(
    Array.from({ length: 64 }, (_, i) => ({
      KV: { Verb: 'set', Key: `${below}/${i}`, Value: Buffer.alloc(6_000, 'v').toString('base64') },
    })),
  )
const WRITES = Array.from({ length: 20 }, (_, i) => transaction(`narrow/txn/${i}`))
const REFUSED = transaction('other')
const SERVICE = '/v1/health/service/attacked'
const registration = (i: number) =>
  json({
    Node: `node-${i % 500}`,
    Address: '10.0.0.1',
    Service: { Service: 'attacked', ID: `attacked-${i % 2_000}`, Port: i % 60_000, Tags: [`t${i}`] },
  })

export const SERVICE_ATTACKS: Readonly<Record<string, Attack>> = {
  // Without a token.
  'transactions refused': floodOf(100, put('/v1/txn', REFUSED)),
  'registrations refused': floodOf(100, (i) => put('/v1/catalog/register', registration(i))),
  'archives refused': floodOf(100, put('/v1/snapshot', MEGABYTE)),
  'archives refused, chunked': floodOf(100, put('/v1/snapshot', MEGABYTE), { chunked: true }),
  'nodes by a filter': floodOf(100, (i) => ({
    path: `/v1/catalog/nodes?filter=${encodeURIComponent(`Node matches "^n.*${i}$" or Meta.a == "${'x'.repeat(800)}"`)}`,
  })),
  'waits for a service, aborted': floodOf(100, (i) => ({ path: `${SERVICE}-${i}?index=1&wait=60s` }), {
    abortAfterMs: 50,
  }),
  'the console, compressed': floodOf(100, (i) => ({ path: '/ui/', headers: compressed(i) })),
  // With the token of an application.
  'transactions of 64 writes': floodOf(50, (i) => put('/v1/txn', WRITES[i % WRITES.length] ?? '[]', NARROW)),
  'sessions of unknown nodes': floodOf(50, (i) =>
    put('/v1/session/create', json({ Node: anId(i), TTL: '10s' }), NARROW),
  ),
  // With all rights.
  'services registered and read': floodOf(50, (i) =>
    i % 2 === 0
      ? put('/v1/catalog/register', registration(i), MANAGEMENT)
      : { path: `${SERVICE}?passing`, headers: { ...by(MANAGEMENT), ...compressed(i) } },
  ),
  'archives made': floodOf(20, { path: '/v1/snapshot', headers: by(MANAGEMENT) }),
}
