import { setTimeout as pause } from 'node:timers/promises'
import type { BaseLogger } from 'pino'
import type { PrismaClient } from '../../generated/prisma/client.ts'
import { assertRingOpens, type KeyRing, KeyRingError, type Sealed } from '../../secrets/key-ring.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { readBytes } from '../read/stored-text.ts'
import { REPLICATION_TOKEN_ID, readSealedToken, showSealedToken } from '../sealed-rows.ts'
import { readSamples, renewSample, sealLookupKey, takeLookupKey } from './open-secrets.ts'
import { removeSample, replaceCiphers, type SealedSecretRow, sealedSecrets } from './reseal-statements.ts'

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
/** Pause between two batches that changed something. */
const PAUSE_MS = 50

/**
 * Takes retired keys out of use: re-seals their secrets with the active key, then removes their samples. A ring without
 * these keys can then open this database.
 *
 * During a rolling restart with a new active key, some servers still seal with the old one. A key is retired only once
 * no process renews its sample, so two servers with different active keys never undo each other's work. From then on,
 * it seals nothing new, so a pass over all tokens that finds none of its secrets proves that there are none. Its sample
 * is removed only if unchanged, which detects a process that starts with this key in between.
 *
 * An interrupted pass needs no bookkeeping: the rows themselves show what is left.
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

  /**
   * Renews the sample of the active key; the leader then handles the retired ones. Concurrent calls share one check.
   */
  look(): Promise<void> {
    this.looking ??= this.lookNow().finally(() => {
      this.looking = undefined
    })
    return this.looking
  }

  /** Stops after the batch in flight. */
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

  /**
   * Passes over all tokens once.
   *
   * @returns the keys still found on tokens; the next check determines whether any are left. All keys if the pass
   * stopped early.
   */
  private async resealTokens(keyIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { prisma, ring, log } = this.parts
    const inUse = new Set<string>()
    let resealed = 0
    let unopened = 0
    let after: string | null = '\\x'
    while (after !== null && this.mayGoOn) {
      const { last, rows } = await sealedSecrets(prisma, keyIds, after, RESEAL_BATCH)
      after = last
      for (const { secret_key_id } of rows) inUse.add(secret_key_id)
      const secrets = rows.flatMap((row) => this.rewrap(row) ?? [])
      unopened += rows.length - secrets.length
      if (secrets.length === 0) continue
      resealed += await replaceCiphers(prisma, secrets)
      await pause(PAUSE_MS, undefined, { signal: this.closing.signal }).catch(() => {})
    }
    if (resealed > 0) log.info(`re-sealed ${resealed} secrets under key ${ring.activeId}`)
    if (unopened > 0) {
      log.warn(`${unopened} secrets do not open and stay under their keys: ${[...inUse].join(', ')}`)
    }
    return after === null ? inUse : new Set(keyIds)
  }

  /** As {@link resealTokens}, for the secrets of auth methods, of which there are few. */
  private async resealAuthMethods(keyIds: readonly string[]): Promise<ReadonlySet<string>> {
    const { prisma, secrets } = this.parts
    const rows = await prisma.authMethod.findMany({ where: { secretKeyId: { in: [...keyIds] } } })
    for (const { key, secretCipher, secretKeyId } of rows) {
      if (!this.mayGoOn || secretCipher === null || secretKeyId === null) continue
      try {
        const sealed = secrets.rewrap({ keyId: secretKeyId, bytes: secretCipher }, `auth-method/${key}`)
        // Only if unchanged: the method may have been written since.
        await prisma.authMethod.updateMany({
          where: { key, secretKeyId, secretCipher },
          data: { secretCipher: Uint8Array.from(sealed.bytes), secretKeyId: sealed.keyId },
        })
      } catch (error) {
        if (!(error instanceof KeyRingError)) throw error
      }
    }
    return new Set(rows.flatMap(({ secretKeyId }) => secretKeyId ?? []))
  }

  private async resealReplicationToken(keyIds: readonly string[]): Promise<readonly string[]> {
    const { prisma, secrets } = this.parts
    const row = await prisma.system.findUnique({ where: { key: 'replication-token' } })
    if (!row) return []
    const sealed = readSealedToken(row)
    if (!keyIds.includes(sealed.keyId)) return []
    try {
      const value = showSealedToken(secrets.rewrap(sealed, REPLICATION_TOKEN_ID))
      // Only if unchanged: the token may have been set since.
      await prisma.system.updateMany({
        where: { key: row.key, modifyIndex: row.modifyIndex },
        data: { value },
      })
    } catch (error) {
      if (!(error instanceof KeyRingError)) throw error
    }
    return [sealed.keyId]
  }

  /** @returns undefined if the secret cannot be decrypted: one broken row must not block the others. */
  private rewrap(row: SealedSecretRow) {
    const sealed = { keyId: row.secret_key_id, bytes: readBytes(row.secret_cipher) }
    try {
      return { row, sealed: this.parts.secrets.rewrap(sealed, row.secret_hash.slice(2)) }
    } catch (error) {
      if (error instanceof KeyRingError) return undefined
      throw error
    }
  }
}
