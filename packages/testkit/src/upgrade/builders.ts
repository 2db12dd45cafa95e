/** Records for tests of the upgrade, with plain defaults. */

import type { Member, MemberRow, TokenRecord } from '@latchkey/acl'
import { fromLegacyToken } from '@latchkey/acl'
import { type LegacyToken, parseServiceVersion, profileOf, type ServiceProfile } from '@latchkey/contract'

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

export function aMemberRow(fields: Partial<MemberRow> = {}): MemberRow {
  const { status: _, ...row } = aMember(fields)
  return { ...row, startedAt: 0, stoppedAt: undefined, ...fields }
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
