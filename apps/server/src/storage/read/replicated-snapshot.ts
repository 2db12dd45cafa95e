import type { TokenRecord } from '@latchkey/acl'
import type { ReplicatedRecords, ReplicatedSnapshot } from '@latchkey/service'
import { withAclErrors } from '../../database/database-error.ts'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { decodeNamespace, decodePolicy, decodeRole } from '../directory-rows.ts'
import { FIELD_END, ROW_END, readTokenRows, TOKEN_FIELDS_SQL, tokenOfAnyRow } from '../token-table.ts'
import { storeText } from './stored-text.ts'

/** A policy may have half a megabyte. */
const DIRECTORY_PAGE_SIZE = 20
/** Decoding a page blocks the event loop for about five milliseconds. */
const TOKEN_PAGE_SIZE = 250
/** Enough for a million tokens at their reader's pace. A reader that stops loses the snapshot within seconds. */
const SNAPSHOT_MS_MAX = 900_000

const NONE: ReplicatedRecords = { namespaces: [], policies: [], roles: [], tokens: [] }

/**
 * Opens a snapshot of the records that datacenters have in common; it ends with `use`.
 *
 * @throws AclError `unavailable`, and what `use` throws.
 */
export function inReplicatedSnapshot<T>(
  prisma: PrismaClient,
  secrets: SecretBox,
  use: (snapshot: ReplicatedSnapshot) => Promise<T>,
): Promise<T> {
  const isolationLevel = Prisma.TransactionIsolationLevel.RepeatableRead
  return withAclErrors(() =>
    prisma.$transaction(
      async (tx) => {
        // The first statement takes the snapshot.
        const { index } = await tx.commitIndex.findFirstOrThrow({ select: { index: true } })
        return use({ index: Number(index), pages: pagesIn(tx, secrets) })
      },
      { timeout: SNAPSHOT_MS_MAX, isolationLevel },
    ),
  )
}

async function* pagesIn(tx: Prisma.TransactionClient, secrets: SecretBox): AsyncGenerator<ReplicatedRecords> {
  const take = DIRECTORY_PAGE_SIZE
  const byId = (gt: string) => ({ where: { id: { gt } }, orderBy: { id: 'asc' }, take }) as const
  const byName = (gt: string) => ({ where: { name: { gt } }, orderBy: { name: 'asc' }, take }) as const
  const ofNamespaces = walk(
    (last) => tx.namespace.findMany(byName(last)),
    ({ name }) => name,
  )
  for await (const rows of ofNamespaces) yield { ...NONE, namespaces: rows.map(decodeNamespace) }
  const ofPolicies = walk(
    (last) => tx.policy.findMany(byId(last)),
    ({ id }) => id,
  )
  for await (const rows of ofPolicies) yield { ...NONE, policies: rows.map(decodePolicy) }
  const ofRoles = walk(
    (last) => tx.role.findMany(byId(last)),
    ({ id }) => id,
  )
  for await (const rows of ofRoles) yield { ...NONE, roles: rows.map(decodeRole) }
  const ofTokens = walk(
    (last) => readTokens(tx, last, secrets),
    ({ AccessorID }) => storeText(AccessorID.toLowerCase()),
  )
  for await (const tokens of ofTokens) yield { ...NONE, tokens }
}

/** Pages until one is empty. */
async function* walk<R>(
  read: (last: string) => Promise<readonly R[]>,
  keyOf: (row: R) => string,
): AsyncGenerator<readonly R[]> {
  let rows = await read('')
  for (let last = rows.at(-1); last !== undefined; last = rows.at(-1)) {
    yield rows
    rows = await read(keyOf(last))
  }
}

async function readTokens(
  tx: Prisma.TransactionClient,
  after: string,
  secrets: SecretBox,
): Promise<readonly TokenRecord[]> {
  const [found] = await tx.$queryRaw<readonly { readonly text: string | null }[]>`
    SELECT string_agg(concat_ws(${FIELD_END}, ${Prisma.raw(TOKEN_FIELDS_SQL)}), ${ROW_END} ORDER BY accessor_key) AS text
    FROM (
      SELECT * FROM token WHERE accessor_key > ${after} AND NOT local ORDER BY accessor_key LIMIT ${TOKEN_PAGE_SIZE}::int
    ) page`
  return readTokenRows(found?.text ?? '').map((row) => tokenOfAnyRow(row, secrets))
}
