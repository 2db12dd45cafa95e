import type { Content } from '../handler.ts'
import type { ClusterMember } from '../options.ts'

const MEMBER_STATUS = { alive: 1, left: 3, failed: 4 } as const

/** A server process as agents show it. */
export function showMember(member: ClusterMember): Content<'operations.members'>[number] {
  const colon = member.address.lastIndexOf(':')
  return {
    ID: member.id,
    Name: member.node,
    Addr: member.address.slice(0, colon),
    Port: Number(member.address.slice(colon + 1)),
    Tags: {
      role: 'server',
      ...(member.mode === 'unknown' ? {} : { acls: ACL_TAG[member.mode] }),
      build: member.version,
    },
    Status: MEMBER_STATUS[member.status],
    Datacenter: member.datacenter,
    Version: member.version,
  }
}

/** The reference's gossip tag `acls`, which servers before 1.4.0 lack. */
const ACL_TAG = { disabled: '0', enabled: '1', legacy: '2' } as const
