/** What the rules take from outside: time and randomness. Storage is in `store/store.ts`. */

export interface Clock {
  /** Now, in milliseconds since the epoch. One clock decides expiry for all processes. */
  now(): number
}

export interface Random {
  /** `count` bytes from a cryptographic source. */
  bytes(count: number): Uint8Array
}

/** 16 random bytes as 8-4-4-4-12 lower-case hex. Like the reference's, without version bits. */
export function randomUuid(random: Random): string {
  let hex = ''
  for (const byte of random.bytes(16)) hex += byte.toString(16).padStart(2, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
