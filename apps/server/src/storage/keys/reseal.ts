import { setTimeout as pause } from 'node:timers/promises'
import type { BaseLogger } from 'pino'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import { assertRingOpens, ifOpens, type KeyRing, type Sealed } from '../../secrets/key-ring.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { readBytes, storeBytes } from '../read/stored-text.ts'
import { REPLICATION_TOKEN_ID, readSealedToken, showSealedToken } from '../sealed-rows.ts'
import { readSamples, renewSample, sealLookupKey, takeLookupKey } from './open-secrets.ts'

export interface ResealParts {
  readonly prisma: PrismaClient
  readonly ring: KeyRing
  readonly secrets: SecretBox
  readonly isLeader: () => boolean
  readonly log: BaseLogger
}

/**
 * A key is retired once this many checks in a row find the same sample. Every process renews the sample of its active
 * key at its start and once between two checks, so two would be enough if timers were exact.
 */
export const QUIET_LOOKS = 3
/** Tokens per statement. A commit may have to wait for one batch: some 20 ms. */
const RESEAL_BATCH = 500
const PAUSE_MS = 50

/**
 * Takes retired keys out of use: re-seals their secrets with the active key, then removes their samples.
 *
 * During a rolling restart, some servers still seal with the old key. A key is retired only once no process renews its
 * sample: two servers never undo each other's work, and a pass that finds none of its secrets proves that there are
 * none. Its sample is removed only if unchanged. The rows themselves show what an interrupted pass has left.
 */
export class Reseal {
  private readonly parts: ResealParts
  private readonly closing = new AbortController()
  private looking: Promise<void> | undefined
  /** By key: its sample, and how many checks in a row found it unchanged. */
  private seen = new Map<string, { readonly sample: Buffer; readonly looks: number }>()

  constructor(parts: ResealParts) {
    this.parts = parts
  }

  /** Renews the sample of the active key; the leader then handles the retired ones. Calls share a check. */
  look(): Promise<void> {
    this.looking ??= this.lookNow().finally(() => {
      this.looking = undefined
    })
    return this.looking
  }

  async close(): Promise<void> {
    this.closing.abort()
    await this.looking?.catch(() => {})
  }

  private get mayGoOn(): boolean {
    return this.parts.isLeader() && !this.closing.signal.aborted
  }

  private async lookNow(): Promise<void> {
    const { prisma, ring, log } = this.parts
    const samples = await readSamples(prisma)
    // Before the sample is overwritten: another server may have a different key under the same id.
    assertRingOpens(
      ring,
      samples.filter(({ sealed }) => sealed.keyId === ring.activeId),
    )
    await renewSample(prisma, ring)
    const retired = this.retiredOf(samples.map(({ sealed }) => sealed))
    if (retired.length === 0 || !this.mayGoOn) return
    await sealLookupKey(prisma, ring, await takeLookupKey(prisma, ring))
    const keyIds = retired.map(({ keyId }) => keyId)
    const inUse = new Set([
      ...(await this.resealTokens(keyIds)),
      ...(await this.resealAuthMethods(keyIds)),
      ...(await this.resealReplicationToken(keyIds)),
    ])
    for (const sample of retired) {
      if (this.mayGoOn && !inUse.has(sample.keyId) && (await removeSample(prisma, sample))) {
        log.info(
          `key ${sample.keyId} seals nothing any more: it can be taken out of LATCHKEY_ENCRYPTION_KEYS or encryption.keys`,
        )
      }
    }
  }

  /** The samples of keys that no process seals with any longer. */
  private retiredOf(samples: readonly Sealed[]): readonly Sealed[] {
    const { ring, isLeader } = this.parts
    const before = isLeader() ? this.seen : undefined
    const others = isLeader() ? samples.filter(({ keyId }) => keyId !== ring.activeId) : []
    this.seen = new Map(
      others.map(({ keyId, bytes }) => {
        const sample = Buffer.from(bytes)
        const last = before?.get(keyId)
        return [keyId, { sample, looks: last?.sample.equals(sample) ? last.looks + 1 : 1 }]
      }),
    )
    return others.filter(({ keyId }) => (this.seen.get(keyId)?.looks ?? 0) >= QUIET_LOOKS)
  }

  /** Passes over all tokens once. @returns the keys still found on tokens; all if the pass stopped early. */
  private async resealTokens(keyIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { prisma, ring, secrets, log } = this.parts
    const inUse = new Set<string>()
    let resealed = 0
    let unopened = 0
    let after: string | null = '\\x'
    while (after !== null && this.mayGoOn) {
      const { last, rows } = await sealedSecrets(prisma, keyIds, after, RESEAL_BATCH)
      after = last
      for (const { secret_key_id } of rows) inUse.add(secret_key_id)
      const rewrapped = rows.flatMap((row) => {
        const old = { keyId: row.secret_key_id, bytes: readBytes(row.secret_cipher) }
        const sealed = ifOpens(() => secrets.rewrap(old, row.secret_hash.slice(2)))
        return sealed ? { row, sealed } : []
      })
      unopened += rows.length - rewrapped.length
      if (rewrapped.length === 0) continue
      resealed += await replaceCiphers(prisma, rewrapped)
      await pause(PAUSE_MS, undefined, { signal: this.closing.signal }).catch(() => {})
    }
    if (resealed > 0) log.info(`re-sealed ${resealed} secrets under key ${ring.activeId}`)
    if (unopened > 0) {
      log.warn(`${unopened} secrets do not open and stay under their keys: ${[...inUse].join(', ')}`)
    }
    return after === null ? inUse : new Set(keyIds)
  }

  private async resealAuthMethods(keyIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { prisma, secrets } = this.parts
    const rows = await prisma.authMethod.findMany({ where: { secretKeyId: { in: [...keyIds] } } })
    for (const { key, secretCipher, secretKeyId } of rows) {
      if (!this.mayGoOn || secretCipher === null || secretKeyId === null) continue
      const old = { keyId: secretKeyId, bytes: secretCipher }
      const sealed = ifOpens(() => secrets.rewrap(old, `auth-method/${key}`))
      if (!sealed) continue
      // Only if unchanged: the method may have been written since.
      await prisma.authMethod.updateMany({
        where: { key, secretKeyId, secretCipher },
        data: { secretCipher: Uint8Array.from(sealed.bytes), secretKeyId: sealed.keyId },
      })
    }
    return new Set(rows.flatMap(({ secretKeyId }) => secretKeyId ?? []))
  }

  private async resealReplicationToken(keyIds: readonly string[]): Promise<readonly string[]> {
    const { prisma, secrets } = this.parts
    const row = await prisma.system.findUnique({ where: { key: 'replication-token' } })
    if (!row) return []
    const sealed = readSealedToken(row)
    if (!keyIds.includes(sealed.keyId)) return []
    const rewrapped = ifOpens(() => secrets.rewrap(sealed, REPLICATION_TOKEN_ID))
    if (rewrapped) {
      // Only if unchanged: the token may have been set since.
      const where = { key: row.key, modifyIndex: row.modifyIndex }
      await prisma.system.updateMany({ where, data: { value: showSealedToken(rewrapped) } })
    }
    return [sealed.keyId]
  }
}

/** A sealed secret, and the hash in hex that it is bound to. */
export interface SealedSecretRow {
  readonly secret_hash: string
  readonly secret_cipher: string
  readonly secret_key_id: string
}

/**
 * Tokens sealed by one of these keys among the next `limit`: no index leads from a key to its tokens, so a search
 * would read the whole table. @param after the hash to continue after; `\x` at the beginning.
 */
export async function sealedSecrets(
  prisma: PrismaClient,
  keyIds: readonly string[],
  after: string,
  limit: number,
): Promise<{ last: string | null; rows: readonly SealedSecretRow[] }> {
  const [row] = await prisma.$queryRaw<{ answer: Awaited<ReturnType<typeof sealedSecrets>> }[]>(Prisma.sql`
    WITH page AS MATERIALIZED (
      SELECT secret_hash, secret_cipher, secret_key_id FROM token
      WHERE secret_hash > ${after}::text::bytea ORDER BY secret_hash LIMIT ${limit}::int
    )
    SELECT json_build_object(
      'last', (SELECT secret_hash FROM page ORDER BY secret_hash DESC LIMIT 1),
      'rows', (SELECT coalesce(json_agg(page), '[]') FROM page WHERE secret_key_id = ANY (${keyIds}::text[]))
    ) AS answer`)
  return row?.answer ?? { last: null, rows: [] }
}

/**
 * Replaces ciphertexts of rows that still have their key. Records and indexes stay the same. Skips a row that a commit
 * has locked: the commit may be waiting for another row of this batch. @returns how many were replaced.
 */
export async function replaceCiphers(
  prisma: PrismaClient,
  secrets: readonly { readonly row: SealedSecretRow; readonly sealed: Sealed }[],
): Promise<number> {
  const hashes = secrets.map(({ row }) => row.secret_hash)
  const before = secrets.map(({ row }) => row.secret_key_id)
  const after = secrets.map(({ sealed }) => sealed.keyId)
  const ciphers = secrets.map(({ sealed }) => storeBytes(sealed.bytes))
  return prisma.$executeRaw(Prisma.sql`
    WITH fresh AS MATERIALIZED (
      SELECT * FROM unnest(${hashes}::text[]::bytea[], ${before}::text[], ${after}::text[], ${ciphers}::text[]::bytea[])
        AS f (secret_hash, before, after, cipher)
    ),
    free AS MATERIALIZED (
      SELECT f.* FROM fresh f JOIN token t ON t.secret_hash = f.secret_hash AND t.secret_key_id = f.before
      FOR NO KEY UPDATE OF t SKIP LOCKED
    )
    UPDATE token t SET secret_cipher = f.cipher, secret_key_id = f.after
    FROM free f WHERE t.secret_hash = f.secret_hash AND t.secret_key_id = f.before`)
}

/** Removes the sample of a key, unless it has been renewed or its key seals the lookup key. */
export async function removeSample(prisma: PrismaClient, { keyId, bytes }: Sealed): Promise<boolean> {
  const removed = await prisma.$executeRaw(Prisma.sql`
    DELETE FROM sealing_key WHERE key_id = ${keyId} AND sample = ${storeBytes(bytes)}::text::bytea
      AND NOT EXISTS (SELECT FROM lookup_key WHERE key_id = ${keyId})`)
  return removed > 0
}
