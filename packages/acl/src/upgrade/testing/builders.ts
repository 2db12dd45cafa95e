/** Records for the tests of the upgrade: each sets what matters and hides the rest. */
import { type LegacyToken, parseServiceVersion, profileOf, type ServiceProfile } from '@latchkey/contract'
import type { Random } from '../../ports.ts'
import type { TokenRecord } from '../../store/records.ts'
import { fromLegacyToken } from '../legacy-token.ts'
import type { Member } from '../member.ts'

export function aMember(fields: Partial<Member> = {}): Member {
  const id = fields.id ?? 's1'
  return {
    id,
    datacenter: 'dc1',
    node: id,
    version: '1.4.0',
    mode: 'legacy',
    heartbeatAt: 0,
    status: 'alive',
    ...fields,
  }
}

export function aLegacyToken(fields: Partial<LegacyToken> = {}): LegacyToken {
  return {
    ID: 'my-secret',
    Name: 'a token',
    Type: 'client',
    Rules: 'key "" { policy = "read" }',
    CreateIndex: 7,
    ModifyIndex: 9,
    ...fields,
  }
}

/** A stored legacy token without an accessor. */
export function anUnmigratedToken(fields: Partial<LegacyToken> = {}): TokenRecord {
  return fromLegacyToken(aLegacyToken(fields))
}

export function aProfile(version: string): ServiceProfile {
  return profileOf(parseServiceVersion(version))
}

/** Bytes that look random and are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): Random {
  let state = seed
  const nextByte = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) & 0xff
  }
  return { bytes: (count) => Uint8Array.from({ length: count }, nextByte) }
}
