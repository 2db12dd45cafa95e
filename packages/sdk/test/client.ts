/** A client for tests: no environment, and a secret that must never show. Tests set their own timeouts. */
import { type Client, type ClientOptions, createClient } from '../src/index.ts'
import type { TestServer } from './test-server.ts'

/** The secret that test clients present. */
export const CALLER_SECRET = 'c0ffee00-5ec2-4e75-8a11-000000000001'

export function clientOf(server: Pick<TestServer, 'address'>, options: ClientOptions = {}): Client {
  return createClient({
    address: server.address,
    token: CALLER_SECRET,
    env: false,
    timeout: 30_000,
    attemptTimeout: 30_000,
    retries: 2,
    ...options,
  })
}
