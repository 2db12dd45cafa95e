/** DNS messages as objects, not bytes. Types are spelled as in the RFCs: `A`, `SRV`, `ANY`. */

export interface DnsQuestion {
  /** Without a trailing dot, in the spelling of the client. A dot within a label is written as NUL. */
  readonly name: string
  readonly type: string
}

interface RecordBase {
  readonly name: string
  readonly ttl: number
}

export interface AddressRecord extends RecordBase {
  readonly type: 'A' | 'AAAA'
  readonly data: string
}

interface NameRecord extends RecordBase {
  readonly type: 'CNAME' | 'NS' | 'PTR'
  readonly data: string
}

interface ServiceLocation extends RecordBase {
  readonly type: 'SRV'
  readonly data: {
    readonly priority: number
    readonly weight: number
    readonly port: number
    readonly target: string
  }
}

export interface TextRecord extends RecordBase {
  readonly type: 'TXT'
  readonly data: string
}

export interface ZoneRecord extends RecordBase {
  readonly type: 'SOA'
  readonly data: {
    readonly mname: string
    readonly rname: string
    readonly serial: number
    readonly refresh: number
    readonly retry: number
    readonly expire: number
    readonly minimum: number
  }
}

export type DnsRecord = AddressRecord | NameRecord | ServiceLocation | TextRecord | ZoneRecord

/** An answer, before truncation to the size that the client accepts. */
export interface DnsReply {
  readonly rcode: 'NOERROR' | 'FORMERR' | 'SERVFAIL' | 'NXDOMAIN' | 'NOTIMP' | 'REFUSED'
  /** Whether this server is authoritative for the zone. */
  readonly isAuthoritative: boolean
  readonly isRecursionAvailable: boolean
  /** Whether the answers are interchangeable instances of a service, of which a client may get fewer. */
  readonly isOfService?: true
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
}

export function emptyReply(rcode: DnsReply['rcode'], { isAuthoritative = true } = {}): DnsReply {
  return {
    rcode,
    isAuthoritative,
    isRecursionAvailable: false,
    answers: [],
    authorities: [],
    additionals: [],
  }
}
