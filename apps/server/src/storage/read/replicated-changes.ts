import {
  changesOf,
  REPLICATED_CHANGES_MAX,
  REPLICATED_TABLES,
  type ReplicatedTable,
  type StoreChanges,
} from '@latchkey/service'
import { withAclErrors } from '../../database/database-error.ts'
import { Prisma, type PrismaClient } from '../../generated/prisma/client.ts'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { decodeNamespace, decodePolicy, decodeRole } from '../directory-rows.ts'
import { FIELD_END, ROW_END, readTokenRows, TOKEN_FIELDS_SQL, tokenOfRow } from '../token-table.ts'
import { inSnapshot } from './snapshot.ts'
import { readText } from './stored-text.ts'

/** Most policies, roles and namespaces: a policy may have half a megabyte. */
const DIRECTORY_CHANGES_MAX = 1_000
/** Most characters of the rows. Looser than the bound of an answer, because local tokens count, too. */
const ROWS_LENGTH_MAX = 16_777_216

interface TouchedRow {
  readonly entity: ReplicatedTable
  /** As stored. */
  readonly key: string
  readonly was_deleted: boolean
}

/**
 * Reads what changed after an index in the records that datacenters have in common: the log and the rows in one snapshot.
 *
 * @returns undefined if the log does not reach back, or there is too much.
 * @throws AclError `unavailable`
 */
export async function readReplicatedChanges(
  prisma: PrismaClient,
  after: number,
  secrets: SecretBox,
): Promise<StoreChanges | undefined> {
  return withAclErrors(() => inSnapshot(prisma, (tx) => readIn(tx, after, secrets)))
}

async function readIn(
  tx: Prisma.TransactionClient,
  after: number,
  secrets: SecretBox,
): Promise<StoreChanges | undefined> {
  const { index, pruned } = await tx.commitIndex.findFirstOrThrow({ select: { index: true, pruned: true } })
  if (after < pruned || after > index) return undefined
  const rows = await tx.$queryRaw<readonly TouchedRow[]>`
    SELECT entity, key, bool_or(op = 'delete') AS was_deleted FROM change
    WHERE index > ${after}::bigint AND entity = ANY (${[...REPLICATED_TABLES]}::text[]) AND key IS NOT NULL
    GROUP BY entity, key LIMIT ${REPLICATED_CHANGES_MAX + 1}::int`
  const ofDirectory = rows.filter(({ entity }) => entity !== 'tokens').length
  if (rows.length > REPLICATED_CHANGES_MAX || ofDirectory > DIRECTORY_CHANGES_MAX) return undefined
  const keysOf = (table: ReplicatedTable) => rows.flatMap(({ entity, key }) => (entity === table ? key : []))
  if ((await lengthOfRows(tx, keysOf)) > ROWS_LENGTH_MAX) return undefined
  const ids = (table: ReplicatedTable) => ({ where: { id: { in: keysOf(table) } } })
  const policies = (await tx.policy.findMany(ids('policies'))).map(decodePolicy)
  const roles = (await tx.role.findMany(ids('roles'))).map(decodeRole)
  const names = { where: { name: { in: keysOf('namespaces') } } }
  const namespaces = (await tx.namespace.findMany(names)).map(decodeNamespace)
  const [found] = await tx.$queryRaw<readonly { readonly text: string | null }[]>`
    SELECT string_agg(concat_ws(${FIELD_END}, ${Prisma.raw(TOKEN_FIELDS_SQL)}), ${ROW_END}) AS text
    FROM token WHERE accessor_key = ANY (${keysOf('tokens')}::text[])`
  const tokens = readTokenRows(found?.text ?? '').map((row) => tokenOfRow(row, secrets))
  const byId = {
    policies: new Map(policies.map((policy) => [policy.ID, policy])),
    roles: new Map(roles.map((role) => [role.ID, role])),
    namespaces: new Map(namespaces.map((namespace) => [namespace.Name, namespace])),
    tokens: new Map(tokens.map((token) => [token.AccessorID.toLowerCase(), token])),
  }
  const touched = rows.map(({ entity, key, was_deleted }) => ({
    table: entity,
    key: readText(key),
    wasDeleted: was_deleted,
  }))
  return changesOf(Number(index), touched, {
    policies: (id) => byId.policies.get(id),
    roles: (id) => byId.roles.get(id),
    namespaces: (name) => byId.namespaces.get(name),
    tokens: (accessor) => byId.tokens.get(accessor),
  })
}

/** Measured in the database, before the process holds them: policies alone could take half a gigabyte. */
async function lengthOfRows(
  tx: Prisma.TransactionClient,
  keysOf: (table: ReplicatedTable) => readonly string[],
): Promise<number> {
  const [sum] = await tx.$queryRaw<readonly { readonly length: bigint | null }[]>`
    SELECT sum(length)::bigint AS length FROM (
      SELECT length(t::text) FROM namespace t WHERE name = ANY (${keysOf('namespaces')}::text[])
      UNION ALL SELECT length(t::text) FROM policy t WHERE id = ANY (${keysOf('policies')}::text[])
      UNION ALL SELECT length(t::text) FROM role t WHERE id = ANY (${keysOf('roles')}::text[])
      UNION ALL SELECT length(t::text) FROM token t WHERE accessor_key = ANY (${keysOf('tokens')}::text[])
    ) rows`
  return Number(sum?.length ?? 0)
}
