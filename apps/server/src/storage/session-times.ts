import type { SessionTimes } from '@latchkey/service'
import type { Database } from '../database/connect.ts'
import { withAclErrors } from '../database/database-error.ts'
import { Prisma, type PrismaClient } from '../generated/prisma/client.ts'
import { storeBytes, storeText } from './read/stored-text.ts'
import { IS_EXPIRED } from './write/catalog/stored-catalog.ts'

/** Maximum keys that one commit frees when it ends several sessions. */
const ENDED_KEYS_MAX = 1_000

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
        this.prisma.$queryRaw<{ id: string }[]>`SELECT id FROM (
            SELECT id, row_number() OVER by_id AS place, sum(keys) OVER by_id AS keys_up_to FROM (
              SELECT id, (SELECT count(*) FROM kv WHERE kv.session = session.id AND kv.session <> '') AS keys
              FROM session WHERE ${IS_EXPIRED} ORDER BY id LIMIT ${limit}::int) expired
            WINDOW by_id AS (ORDER BY id)) counted
          WHERE keys_up_to <= ${ENDED_KEYS_MAX}::int OR place = 1 ORDER BY id`,
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

  async prune(): Promise<void> {
    await withAclErrors(() => this.prisma.$executeRaw`DELETE FROM lock_delay WHERE until < clock_timestamp()`)
  }
}
