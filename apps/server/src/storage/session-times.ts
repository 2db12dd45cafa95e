import type { SessionTimes } from '@latchkey/service'
import type { Database } from '../database/connect.ts'
import { withAclErrors } from '../database/database-error.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { storeBytes, storeText } from './read/stored-text.ts'
import { IS_EXPIRED } from './write/catalog/session-ends.ts'

/** Times of sessions by the database's clock. A renewal never shortens a lifetime, whatever that clock does. */
export class PostgresSessionTimes implements SessionTimes {
  private readonly prisma: PrismaClient

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.prisma = prisma
  }

  async renew(id: string): Promise<boolean> {
    const count = await withAclErrors(
      () =>
        this.prisma
          .$executeRaw`UPDATE session SET renewed_at = greatest(renewed_at, clock_timestamp()) WHERE id = ${id}`,
    )
    return count > 0
  }

  async expired(limit: number): Promise<readonly string[]> {
    const rows = await withAclErrors(
      () =>
        this.prisma.$queryRaw<
          { id: string }[]
        >`SELECT id FROM session WHERE ${IS_EXPIRED} ORDER BY id LIMIT ${limit}::int`,
    )
    return rows.map(({ id }) => id)
  }

  async isDelayed(namespace: string, key: string): Promise<boolean> {
    const place = Prisma.sql`namespace = ${storeText(namespace)} AND key = ${storeBytes(Buffer.from(key))}::bytea`
    const rows = await withAclErrors(
      () =>
        this.prisma.$queryRaw<
          { one: number }[]
        >`SELECT 1 AS one FROM lock_delay WHERE ${place} AND until > clock_timestamp()`,
    )
    return rows.length > 0
  }

  /** Removes lock delays that are over. */
  async prune(): Promise<void> {
    await withAclErrors(() => this.prisma.$executeRaw`DELETE FROM lock_delay WHERE until < clock_timestamp()`)
  }
}
