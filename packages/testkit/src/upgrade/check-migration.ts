/** Checks a migration against spec 8 and 9.2.3, using only the log of its batches and the final tokens. */
import type { TokenRecord } from '@latchkey/acl'
import type { CommittedBatch } from './migration-world.ts'

interface MigrationOutcome {
  readonly batches: readonly CommittedBatch[]
  readonly tokens: Iterable<TokenRecord>
  /** The last writes of users, by secret. */
  readonly descriptions: ReadonlyMap<string, string>
}

/** @returns the violations. */
export function checkMigration({ batches, tokens, descriptions }: MigrationOutcome): readonly string[] {
  return [...checkBatchRate(batches), ...checkAccessors(batches), ...checkEnd(tokens, descriptions)]
}

/** At most 128 tokens and one batch in any second, counted from the start of each batch. */
function* checkBatchRate(batches: readonly CommittedBatch[]): Generator<string> {
  for (const [i, { at, tokens }] of batches.entries()) {
    if (tokens.length === 0 || tokens.length > 128) yield `batch ${i} has ${tokens.length} tokens`
    const next = batches[i + 1]
    if (next !== undefined && next.at < at + 1_000)
      yield `batch ${i + 1} came ${next.at - at} ms after the one before`
  }
}

/** One accessor for each token, one token for each accessor, and the order of creation within a batch. */
function* checkAccessors(batches: readonly CommittedBatch[]): Generator<string> {
  const bySecret = new Map<string, string>()
  const accessors = new Set<string>()
  for (const [i, { tokens }] of batches.entries()) {
    let lastCreated = 0
    for (const { SecretID, AccessorID, CreateIndex } of tokens) {
      if (bySecret.has(SecretID)) yield `${SecretID} got a second accessor in batch ${i}`
      if (accessors.has(AccessorID)) yield `${AccessorID} was given twice`
      if (CreateIndex < lastCreated) yield `batch ${i} is not in the order of creation`
      bySecret.set(SecretID, AccessorID)
      accessors.add(AccessorID)
      lastCreated = CreateIndex
    }
  }
}

function* checkEnd(
  tokens: Iterable<TokenRecord>,
  descriptions: ReadonlyMap<string, string>,
): Generator<string> {
  const secrets = new Set<string>()
  for (const token of tokens) {
    secrets.add(token.SecretID)
    if (token.AccessorID === '') yield `${token.SecretID} has no accessor`
    if (token.Description !== descriptions.get(token.SecretID)) yield `${token.SecretID} lost an edit`
    if (token.CreateTime !== '0001-01-01T00:00:00Z') yield `${token.SecretID} got a creation time`
    const isLinked = token.Policies[0]?.ID === '00000000-0000-0000-0000-000000000001'
    if (isLinked !== (token.Type === 'management')) yield `${token.SecretID} is linked wrongly`
  }
  for (const secret of descriptions.keys()) if (!secrets.has(secret)) yield `${secret} is lost`
}
