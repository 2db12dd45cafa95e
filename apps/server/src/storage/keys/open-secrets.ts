import type { PrismaClient } from '../../generated/prisma/client.ts'
import { assertRingOpens, type KeyRing, type Sealed, type SealedSample } from '../../secrets/key-ring.ts'
import {
  createLookupKey,
  createSecretBox,
  rewrapLookupKey,
  type SecretBox,
} from '../../secrets/secret-box.ts'

/**
 * Opens the secrets of a database. Creates the lookup key of a new one, and re-seals it under the active key.
 * @throws StartError if the ring lacks a key that has sealed something, or has a different one under its id.
 */
export async function openSecrets(prisma: PrismaClient, ring: KeyRing): Promise<SecretBox> {
  assertRingOpens(ring, await readSamples(prisma))
  const wrapped = await takeLookupKey(prisma, ring)
  const secrets = createSecretBox(ring, wrapped)
  await sealLookupKey(prisma, ring, wrapped)
  await renewSample(prisma, ring)
  return secrets
}

/** Several processes may start on a new database: one creates the key, and all get the same one. */
export async function takeLookupKey(prisma: PrismaClient, ring: KeyRing): Promise<Sealed> {
  if (!(await prisma.lookupKey.findFirst())) {
    await prisma.lookupKey.createMany({ data: rowOf(createLookupKey(ring)), skipDuplicates: true })
  }
  return prisma.lookupKey.findFirstOrThrow()
}

export async function sealLookupKey(prisma: PrismaClient, ring: KeyRing, wrapped: Sealed): Promise<void> {
  const rewrapped = rewrapLookupKey(ring, wrapped)
  if (rewrapped === wrapped) return
  // Only if unchanged: another process may be doing the same.
  await prisma.lookupKey.updateMany({ where: { keyId: wrapped.keyId }, data: rowOf(rewrapped) })
}

function rowOf({ keyId, bytes }: Sealed): { keyId: string; bytes: Uint8Array<ArrayBuffer> } {
  return { keyId, bytes: Uint8Array.from(bytes) }
}

export const SAMPLE_CONTEXT = 'latchkey/sealing-key-sample'

/** One sample of each key that has sealed, or may have sealed, something in this database. */
export async function readSamples(prisma: PrismaClient): Promise<readonly SealedSample[]> {
  const rows = await prisma.sealingKey.findMany()
  return rows.map(({ keyId, sample }) => ({ sealed: { keyId, bytes: sample }, context: SAMPLE_CONTEXT }))
}

/** Replaces the sample of the active key. A changed sample shows that some process seals with its key. */
export async function renewSample(prisma: PrismaClient, ring: KeyRing): Promise<void> {
  const { keyId, bytes } = ring.seal(new Uint8Array(0), SAMPLE_CONTEXT)
  const sample = Uint8Array.from(bytes)
  await prisma.sealingKey.upsert({ where: { keyId }, create: { keyId, sample }, update: { sample } })
}
