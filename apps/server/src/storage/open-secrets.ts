import type { PrismaClient } from '../generated/prisma/client.ts'
import type { KeyRing, Sealed } from '../secrets/key-ring.ts'
import { assertRingOpens } from '../secrets/key-ring.ts'
import { createLookupKey, createSecretBox, rewrapLookupKey, type SecretBox } from '../secrets/secret-box.ts'

/** What the sample of a key is bound to. */
const SAMPLE_CONTEXT = 'latchkey/sealing-key-sample'

/**
 * Opens the secrets of a database with the keys of this process. A new database gets its lookup key; one whose lookup
 * key was sealed by an older key of the ring gets it sealed by the active one.
 *
 * @throws StartError when the ring lacks a key that has sealed something in this database, or has another in its place.
 */
export async function openSecrets(prisma: PrismaClient, ring: KeyRing): Promise<SecretBox> {
  const samples = await prisma.sealingKey.findMany()
  assertRingOpens(
    ring,
    samples.map(({ keyId, sample }) => ({ sealed: { keyId, bytes: sample }, context: SAMPLE_CONTEXT })),
  )
  const wrapped = await takeLookupKey(prisma, ring)
  const secrets = createSecretBox(ring, wrapped)
  const rewrapped = rewrapLookupKey(ring, wrapped)
  if (rewrapped !== wrapped) {
    // Only where it is still what was read: another process may be doing the same.
    await prisma.lookupKey.updateMany({ where: { keyId: wrapped.keyId }, data: rowOf(rewrapped) })
  }
  if (!samples.some(({ keyId }) => keyId === ring.activeId)) {
    const sample = ring.seal(new Uint8Array(0), SAMPLE_CONTEXT)
    await prisma.sealingKey.createMany({
      data: { keyId: sample.keyId, sample: Uint8Array.from(sample.bytes) },
      skipDuplicates: true,
    })
  }
  return secrets
}

/** Several processes may start on a new database: one creates the key, all get the same. */
async function takeLookupKey(prisma: PrismaClient, ring: KeyRing): Promise<Sealed> {
  if (!(await prisma.lookupKey.findFirst())) {
    await prisma.lookupKey.createMany({ data: rowOf(createLookupKey(ring)), skipDuplicates: true })
  }
  return prisma.lookupKey.findFirstOrThrow()
}

function rowOf({ keyId, bytes }: Sealed): { keyId: string; bytes: Uint8Array<ArrayBuffer> } {
  return { keyId, bytes: Uint8Array.from(bytes) }
}
