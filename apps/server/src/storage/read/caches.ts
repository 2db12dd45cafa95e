/** The caches of records that are not wholly in memory: tokens and keys. */
import type { KvRecord, TokenRecord } from '@latchkey/acl'
import { ownText } from '@latchkey/contract'
import { BoundedMap, type Slot, type Topic } from '@latchkey/service'

/** The keys by which a token is looked up, and by which the change log names it. */
export interface TokenKeys {
  /** The accessor in lower case; undefined for a legacy token without an accessor, and if only the secret is known. */
  readonly accessorKey: string | undefined
  /** The lookup hash of the secret in hex; undefined if only the accessor is known. */
  readonly secretHash: string | undefined
}

interface Entry extends TokenKeys {
  readonly record: TokenRecord | undefined
  /** The secret as presented: a hit needs no hashing. */
  readonly secretId: string | undefined
}

/** Rough size of an entry and its three map slots, and of one link, in bytes. Measured with 100,000 tokens. */
const ENTRY_BYTES = 1_000
const LINK_BYTES = 120
/** For a text with a character beyond Latin-1; other texts take half. */
const CHARACTER_BYTES = 2

/**
 * Caches tokens at the applied index, and secrets and accessors of no token. An unchanged record is the same object
 * while it is cached. Keys are copied: they may be views of a header or a URL. The texts of records must not be views.
 */
export class TokenCache {
  private readonly entries: BoundedMap<Entry, Entry>
  private readonly byAccessor = new Map<string, Slot<Entry>>()
  private readonly bySecret = new Map<string, Slot<Entry>>()
  private readonly byHash = new Map<string, Slot<Entry>>()

  constructor(bytesMax: number) {
    this.entries = new BoundedMap(bytesMax, { onEvict: (entry) => this.unlink(entry) })
  }

  get size(): number {
    return this.entries.size
  }

  get usedBytes(): number {
    return this.entries.weight
  }

  /** @returns undefined if the cache has no answer; otherwise the record, or that none exists. */
  byAccessorKey(accessorKey: string): { readonly record: TokenRecord | undefined } | undefined {
    return use(this.byAccessor.get(accessorKey))
  }

  bySecretId(secretId: string): { readonly record: TokenRecord | undefined } | undefined {
    return use(this.bySecret.get(secretId))
  }

  /** The cached object of a token that was read differently, if it is the same version. */
  sameAs(secretHash: string, modifyIndex: number): TokenRecord | undefined {
    const entry = use(this.byHash.get(secretHash))
    return entry?.record?.ModifyIndex === modifyIndex ? entry.record : undefined
  }

  /** The cached token of a secret, in any version. */
  byHashKey(secretHash: string): TokenRecord | undefined {
    return this.byHash.get(secretHash)?.value.record
  }

  /** The lookup hash of a token's secret in hex, if this version of the token is cached with the same ids. */
  secretHashOf({ AccessorID, SecretID }: TokenRecord, modifyIndex: number): string | undefined {
    const entry = use(this.bySecret.get(SecretID))
    const isSame = entry?.record?.ModifyIndex === modifyIndex && entry.record.AccessorID === AccessorID
    return isSame ? entry.secretHash : undefined
  }

  add(record: TokenRecord, secretHash: string): void {
    const accessorKey = record.AccessorID === '' ? undefined : lowerCase(record.AccessorID)
    this.insert({ record, accessorKey, secretHash, secretId: record.SecretID }, sizeOf(record))
  }

  addAbsentAccessor(accessorKey: string): void {
    this.insert(
      { record: undefined, accessorKey: ownText(accessorKey), secretHash: undefined, secretId: undefined },
      ENTRY_BYTES + bytesOf(accessorKey),
    )
  }

  addAbsentSecret(secretId: string, secretHash: string): void {
    this.insert(
      { record: undefined, accessorKey: undefined, secretHash, secretId: ownText(secretId) },
      ENTRY_BYTES + bytesOf(secretId),
    )
  }

  /** Removes a token that has changed. */
  invalidate({ accessorKey, secretHash }: TokenKeys): void {
    if (accessorKey !== undefined) this.remove(this.byAccessor.get(accessorKey))
    if (secretHash !== undefined) this.remove(this.byHash.get(secretHash))
  }

  clear(): void {
    this.entries.clear()
    this.byAccessor.clear()
    this.bySecret.clear()
    this.byHash.clear()
  }

  private insert(entry: Entry, bytes: number): void {
    this.invalidate(entry)
    const slot = this.entries.place(entry, entry, bytes)
    if (!slot) return
    if (entry.accessorKey !== undefined) this.byAccessor.set(entry.accessorKey, slot)
    if (entry.secretId !== undefined) this.bySecret.set(entry.secretId, slot)
    if (entry.secretHash !== undefined) this.byHash.set(entry.secretHash, slot)
  }

  private remove(slot: Slot<Entry> | undefined): void {
    if (slot && this.entries.delete(slot.value)) this.unlink(slot.value)
  }

  private unlink({ accessorKey, secretId, secretHash }: Entry): void {
    if (accessorKey !== undefined) this.byAccessor.delete(accessorKey)
    if (secretId !== undefined) this.bySecret.delete(secretId)
    if (secretHash !== undefined) this.byHash.delete(secretHash)
  }
}

/** Returns the same text if it is already in lower case: V8 would make a copy. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase()
  return lower === text ? text : lower
}

function use(slot: Slot<Entry> | undefined): Entry | undefined {
  if (slot) slot.isUsed = true
  return slot?.value
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

interface KvEntry {
  readonly record: KvRecord | undefined
}

/** Size of an entry besides its texts and its value, in bytes. */
const KV_ENTRY_BYTES = 700
/** The key is in the map and in the record, and a character takes up to two bytes. */
const KEY_BYTES = 4

/** Caches single entries of the key-value store at the applied index. */
export class KvCache {
  private readonly entries: BoundedMap<Topic, KvEntry>

  constructor(bytesMax: number) {
    this.entries = new BoundedMap(bytesMax)
  }

  get usedBytes(): number {
    return this.entries.weight
  }

  get(topic: Topic): KvEntry | undefined {
    return this.entries.get(topic)
  }

  keep(topic: Topic, record: KvRecord | undefined): void {
    const bytes = KV_ENTRY_BYTES + KEY_BYTES * topic.length + (record?.Value.length ?? 0)
    this.entries.set(ownText(topic) as Topic, { record }, bytes)
  }

  forget(topic: Topic): void {
    this.entries.delete(topic)
  }

  clear(): void {
    this.entries.clear()
  }
}
