import type { TokenRecord } from '@latchkey/acl'
import { ownText } from '@latchkey/contract'

/** The keys by which a token is looked up, and by which the change log names it. */
export interface TokenKeys {
  /** The accessor in lower case; undefined for a legacy token without one, and if only the secret is known. */
  readonly accessorKey: string | undefined
  /** The lookup hash of the secret in hex; undefined if only the accessor is known. */
  readonly secretHash: string | undefined
}

interface Entry extends TokenKeys {
  /** Undefined: there is no such token. */
  readonly record: TokenRecord | undefined
  /** The secret as presented: a hit needs no hashing. */
  readonly secretId: string | undefined
  readonly bytes: number
  /** Used since the eviction loop last passed it. */
  isUsed: boolean
}

/** Fraction of the bound that remains after an eviction. */
const KEPT_AT_EVICTION = 0.98

/** Rough size of an entry and its three map slots, and of one link, in bytes. Measured with 100,000 tokens. */
const ENTRY_BYTES = 1_000
const LINK_BYTES = 120
/** For a text with a character beyond Latin-1; others take half. */
const CHARACTER_BYTES = 2

/**
 * Tokens at the applied index, and secrets and accessors that name none. Bounded in bytes; evicts by second chance,
 * an approximation of LRU whose hit costs one assignment.
 *
 * An unchanged record is the same object for as long as it is cached. Keys are copied, as they may be views of a
 * header or a URL; the texts of records must be their own.
 */
export class TokenCache {
  private readonly bytesMax: number
  private bytes = 0
  private readonly entries = new Set<Entry>()
  private readonly byAccessor = new Map<string, Entry>()
  private readonly bySecret = new Map<string, Entry>()
  private readonly byHash = new Map<string, Entry>()

  /** @param bytesMax 0 disables the cache. */
  constructor(bytesMax: number) {
    this.bytesMax = bytesMax
  }

  get size(): number {
    return this.entries.size
  }

  get usedBytes(): number {
    return this.bytes
  }

  /** @returns undefined if nothing is known; otherwise the record, or that there is none. */
  byAccessorKey(accessorKey: string): { readonly record: TokenRecord | undefined } | undefined {
    return use(this.byAccessor.get(accessorKey))
  }

  bySecretId(secretId: string): { readonly record: TokenRecord | undefined } | undefined {
    return use(this.bySecret.get(secretId))
  }

  /** The cached object of a token that was read another way, if it is the same version. */
  sameAs(secretHash: string, modifyIndex: number): TokenRecord | undefined {
    const entry = use(this.byHash.get(secretHash))
    return entry?.record?.ModifyIndex === modifyIndex ? entry.record : undefined
  }

  add(record: TokenRecord, secretHash: string): void {
    const accessorKey = record.AccessorID === '' ? undefined : record.AccessorID.toLowerCase()
    this.insert({
      record,
      accessorKey,
      secretHash,
      secretId: record.SecretID,
      bytes: sizeOf(record),
      isUsed: false,
    })
  }

  addAbsentAccessor(accessorKey: string): void {
    this.insert({
      record: undefined,
      accessorKey: ownText(accessorKey),
      secretHash: undefined,
      secretId: undefined,
      bytes: ENTRY_BYTES + bytesOf(accessorKey),
      isUsed: false,
    })
  }

  addAbsentSecret(secretId: string, secretHash: string): void {
    this.insert({
      record: undefined,
      accessorKey: undefined,
      secretHash,
      secretId: ownText(secretId),
      bytes: ENTRY_BYTES + bytesOf(secretId),
      isUsed: false,
    })
  }

  /** Drops what is known of a token that has changed. */
  invalidate({ accessorKey, secretHash }: TokenKeys): void {
    if (accessorKey !== undefined) this.remove(this.byAccessor.get(accessorKey))
    if (secretHash !== undefined) this.remove(this.byHash.get(secretHash))
  }

  clear(): void {
    this.entries.clear()
    this.byAccessor.clear()
    this.bySecret.clear()
    this.byHash.clear()
    this.bytes = 0
  }

  private insert(entry: Entry): void {
    if (entry.bytes > this.bytesMax) return
    this.invalidate(entry)
    this.entries.add(entry)
    this.bytes += entry.bytes
    if (entry.accessorKey !== undefined) this.byAccessor.set(entry.accessorKey, entry)
    if (entry.secretId !== undefined) this.bySecret.set(entry.secretId, entry)
    if (entry.secretHash !== undefined) this.byHash.set(entry.secretHash, entry)
    this.evict()
  }

  /**
   * Evicts in bulk: a Set scans past deleted entries to find its first, which would dominate the cost if each new
   * entry evicted one.
   */
  private evict(): void {
    if (this.bytes <= this.bytesMax) return
    const enough = this.bytesMax * KEPT_AT_EVICTION
    for (const entry of this.entries) {
      if (this.bytes <= enough) return
      if (entry.isUsed) {
        // Second chance: back to the end of the queue. This loop meets it again only if all others were used.
        entry.isUsed = false
        this.entries.delete(entry)
        this.entries.add(entry)
      } else {
        this.remove(entry)
      }
    }
  }

  private remove(entry: Entry | undefined): void {
    if (!entry || !this.entries.delete(entry)) return
    this.bytes -= entry.bytes
    if (entry.accessorKey !== undefined) this.byAccessor.delete(entry.accessorKey)
    if (entry.secretId !== undefined) this.bySecret.delete(entry.secretId)
    if (entry.secretHash !== undefined) this.byHash.delete(entry.secretHash)
  }
}

function use(entry: Entry | undefined): Entry | undefined {
  if (entry) entry.isUsed = true
  return entry
}

function sizeOf(record: TokenRecord): number {
  const { Policies, Roles, NodeIdentities, ServiceIdentities, SecretID, Description, Rules, AuthMethod } =
    record
  const texts = [SecretID, Description, Rules, AuthMethod]
  let links = Policies.length + Roles.length + NodeIdentities.length + ServiceIdentities.length
  for (const { NodeName } of NodeIdentities) texts.push(NodeName)
  for (const { ServiceName, Datacenters = [] } of ServiceIdentities) {
    texts.push(ServiceName)
    links += Datacenters.length
  }
  return texts.reduce((bytes, text) => bytes + bytesOf(text), ENTRY_BYTES + links * LINK_BYTES)
}

function bytesOf(text: string): number {
  return text.length * CHARACTER_BYTES
}
