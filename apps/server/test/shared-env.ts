/** The secret of the management token of test servers. */
export const MANAGEMENT = '11111111-2222-4333-8444-555555555555'

/** Processes that share a database need the same keys; these protect nothing. */
export const ENCRYPTION_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`

/** Settings of test servers, besides the database. */
export const SERVER_ENV = {
  LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT,
  LATCHKEY_ENCRYPTION_KEYS: ENCRYPTION_KEYS,
} as const
