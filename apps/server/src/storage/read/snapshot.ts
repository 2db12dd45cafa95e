import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'

/** For all reads together; each also has the time limits of the connection (`connect.ts`). */
const SNAPSHOT_MS_MAX = 10_000

/** Runs reads in one snapshot of the database. */
export function inSnapshot<T>(
  prisma: PrismaClient,
  read: (tx: Prisma.TransactionClient) => Promise<T>,
): Promise<T> {
  const isolationLevel = Prisma.TransactionIsolationLevel.RepeatableRead
  return prisma.$transaction(read, { timeout: SNAPSHOT_MS_MAX, isolationLevel })
}
