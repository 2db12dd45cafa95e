import type { PrismaClient } from '../../generated/prisma/client.ts'
import type { KeyRing, SealedSample } from '../../secrets/key-ring.ts'

/** The context that a sample is bound to. */
export const SAMPLE_CONTEXT = 'latchkey/sealing-key-sample'

/** One sample of each key that has sealed, or may have sealed, something in this database. */
export async function readSamples(prisma: PrismaClient): Promise<readonly SealedSample[]> {
  const rows = await prisma.sealingKey.findMany()
  return rows.map(({ keyId, sample }) => ({ sealed: { keyId, bytes: sample }, context: SAMPLE_CONTEXT }))
}

/**
 * Replaces the sample of the active key. No two samples have the same bytes, so a changed sample means that some
 * process is sealing with its key.
 */
export async function renewSample(prisma: PrismaClient, ring: KeyRing): Promise<void> {
  const { keyId, bytes } = ring.seal(new Uint8Array(0), SAMPLE_CONTEXT)
  const sample = Uint8Array.from(bytes)
  await prisma.sealingKey.upsert({ where: { keyId }, create: { keyId, sample }, update: { sample } })
}
