/** The ports of the rules: time and randomness. */

export interface Clock {
  /** Now, in milliseconds since the epoch. One clock decides expiry for all processes. */
  now(): number
}

export interface Random {
  bytes(count: number): Uint8Array
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** 16 random bytes as 8-4-4-4-12 lower-case hex. Without version bits, as in the reference. */
export function randomUuid(random: Random): string {
  let hex = ''
  for (const byte of random.bytes(16)) hex += HEX[byte]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
