/** Transactions over keys, nodes, services and checks. Decisions: transactions. */
import { TRANSACTION_BYTES_MAX, TRANSACTION_OPERATIONS_MAX } from '../limits.ts'
import { type ContractRoutes, c, put } from '../route.ts'
import { namespacedModesQuery } from '../shared/query.ts'
import { transactionAnswerSchema, transactionSchema } from './schemas.ts'

export const txn = c.router({
  apply: put('/v1/txn', transactionAnswerSchema, {
    summary: 'Apply several operations, all or nothing',
    description: `Up to ${TRANSACTION_OPERATIONS_MAX} operations, in order: each sees the writes before it. All writes have one index. If one operation fails, none is applied, and the status is 409 with the reasons in \`Errors\`; a missing right is such a reason. Writes of keys need \`key:write\`, checks of an index \`key:read\`; writes of nodes, services and checks need \`node:write\` and \`service:write\`, for the stored and the sent record. Gets omit what the caller may not read.`,
    query: namespacedModesQuery(),
    body: transactionSchema,
    metadata: {
      right: 'transaction',
      namespaced: true,
      writes: 'own',
      body: 'json',
      looseNames: true,
      exactIntegers: true,
      bodyBytesMax: TRANSACTION_BYTES_MAX,
      otherStatuses: [409],
      checksReadOptions: true,
      holdsSecrets: true,
      spec: 'extension',
      errors: ['transaction_too_large', 'field_invalid', 'not_found'],
    },
  }),
} satisfies ContractRoutes)
