/** Transactions over keys, nodes, services and checks. Decisions: transactions. */
import * as z from 'zod'
import { checkSchema, nodeSchema, nodeServiceSchema } from '../catalog/records.ts'
import { checkRegistrationSchema, serviceRegistrationSchema } from '../catalog/schemas.ts'
import type { GateName } from '../gates.ts'
import { kvEntrySchema } from '../kv/routes.ts'
import {
  CATALOG_NAME_BYTES_MAX,
  CATALOG_TEXT_BYTES_MAX,
  KV_KEY_BYTES_MAX,
  NAMESPACE_NAME_LENGTH_MAX,
  TRANSACTION_BYTES_MAX,
  TRANSACTION_OPERATIONS_MAX,
} from '../limits.ts'
import { type ContractRoutes, c, put } from '../route.ts'
import { ignored, unoffered } from '../shared/fields.ts'
import { namespacedModesQuery } from '../shared/query.ts'
import { boundedText } from '../shared/text.ts'

/** What an operation does with a key. */
export const KEY_VERBS = [
  'set',
  'cas',
  'lock',
  'unlock',
  'get',
  'get-tree',
  'check-index',
  'check-session',
  'check-not-exists',
  'delete',
  'delete-cas',
  'delete-tree',
] as const
export type KeyVerb = (typeof KEY_VERBS)[number]

/** What an operation does with a node, a service or a check. */
export const CATALOG_VERBS = ['get', 'set', 'cas', 'delete', 'delete-cas'] as const
export type CatalogVerb = (typeof CATALOG_VERBS)[number]

const UINT64_MAX = 2n ** 64n - 1n
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const INDEX = 'ModifyIndex that the record must have; 0 if there must be none.'

const name = () => boundedText(CATALOG_NAME_BYTES_MAX).optional()
const text = () => boundedText(CATALOG_TEXT_BYTES_MAX).optional()
const words = () =>
  z.record(boundedText(CATALOG_TEXT_BYTES_MAX), boundedText(CATALOG_TEXT_BYTES_MAX)).optional()
const index = (description: string) => z.int().min(0).optional().meta({ description })
/** An unknown verb makes its operation fail, like other errors. */
const verb = (verbs: readonly string[]) =>
  boundedText(CATALOG_NAME_BYTES_MAX)
    .optional()
    .meta({ description: `One of ${verbs.map((word) => `\`${word}\``).join(', ')}.` })

const flags = z
  .union([z.int().min(0), z.bigint().min(0n).max(UINT64_MAX)], {
    error: 'expected an unsigned 64-bit number',
  })
  .transform((value) => BigInt(value))
  .optional()
  .meta({
    description: 'An unsigned 64-bit number to store with the value.',
    type: 'integer',
    minimum: 0,
    maximum: 2 ** 64,
  })

const value = z
  .string()
  .refine((digits) => BASE64.test(digits), { message: 'must be base64', params: { code: 'field_invalid' } })
  .optional()
  .meta({ description: 'The value in base64. Default: empty.' })

const namespace = z
  .string()
  .max(NAMESPACE_NAME_LENGTH_MAX)
  .optional()
  .meta({
    description: 'Extended edition only: namespace of the key. Default: the namespace of the request.',
  })

/** An operation on a key, or on all keys with a prefix. */
const keyOperationSchema = z
  .strictObject({
    Verb: verb(KEY_VERBS),
    Key: boundedText(KV_KEY_BYTES_MAX)
      .optional()
      .meta({ description: 'The key, or the prefix of a tree, which may be empty to delete all keys.' }),
    Value: value,
    Flags: flags,
    Index: index(`${INDEX} For cas, check-index and delete-cas.`),
    Session: name().meta({
      description:
        'ID of a session. For lock, unlock and check-session. An empty text in check-session checks that no session holds the key.',
    }),
    Namespace: namespace,
  })
  .meta({ id: 'KeyOperation' })

const nodeOperationSchema = z
  .strictObject({
    Verb: verb(CATALOG_VERBS),
    Node: z
      .strictObject({
        ID: name().meta({ description: 'UUID of the node. A `get` with an ID looks up the node by ID.' }),
        Node: name().meta({ description: 'Name of the node.' }),
        Address: text().meta({ description: 'Address of the node.' }),
        Datacenter: name().meta({ description: 'If present, it must be the datacenter of the server.' }),
        TaggedAddresses: words().meta({ description: 'Further addresses by tag, such as `lan` and `wan`.' }),
        Meta: words().meta({ description: 'Metadata of the node.' }),
        CreateIndex: unoffered(ignored),
        ModifyIndex: index(`${INDEX} For cas and delete-cas.`),
      })
      .meta({ id: 'TransactionNode' })
      .meta({ description: 'The node.' }),
  })
  .meta({ id: 'NodeOperation' })

const conditional = { ModifyIndex: index(`${INDEX} For cas and delete-cas.`) }

const serviceOperationSchema = z
  .strictObject({
    Verb: verb(CATALOG_VERBS),
    Node: name().meta({ description: 'Name of the node.' }),
    Service: serviceRegistrationSchema
      .extend({ ...conditional, ContentHash: unoffered(ignored), Datacenter: unoffered(ignored) })
      .meta({ id: 'TransactionService' })
      .meta({ description: 'The service, as in a registration.' }),
  })
  .meta({ id: 'ServiceOperation' })

const checkOperationSchema = z
  .strictObject({
    Verb: verb(CATALOG_VERBS),
    Check: checkRegistrationSchema
      .extend(conditional)
      .meta({ id: 'TransactionCheck' })
      .meta({ description: 'The check, as in a registration.' }),
  })
  .meta({ id: 'CheckOperation' })

const ofCatalog = { gate: 'txn.catalog' satisfies GateName } as const

const ONE_KIND = 'must have one of KV, Node, Service and Check: give each an operation of its own'

/** An operation with at most one of the fields. Without any, it does nothing. */
const operationSchema = z
  .strictObject({
    KV: keyOperationSchema.optional().meta({ description: 'An operation on a key or a tree of keys.' }),
    Node: nodeOperationSchema.optional().meta({ ...ofCatalog, description: 'An operation on a node.' }),
    Service: serviceOperationSchema
      .optional()
      .meta({ ...ofCatalog, description: 'An operation on a service of a node.' }),
    Check: checkOperationSchema.optional().meta({ ...ofCatalog, description: 'An operation on a check.' }),
  })
  .refine((operation) => Object.keys(operation).length <= 1, {
    message: ONE_KIND,
    params: { code: 'field_invalid' },
  })
  .meta({ id: 'Operation' })
export type Operation = z.output<typeof operationSchema>

export const transactionSchema = z
  .array(operationSchema)
  .meta({ id: 'Transaction', description: `At most ${TRANSACTION_OPERATIONS_MAX} operations.` })

/** The result of an operation. One of the fields is set. */
const operationResultSchema = z
  .strictObject({
    KV: kvEntrySchema.optional().meta({ description: 'A key. Only gets return its value.' }),
    Node: nodeSchema.optional().meta({ description: 'A node.' }),
    Service: nodeServiceSchema.optional().meta({ description: 'A service.' }),
    Check: checkSchema.optional().meta({ description: 'A check.' }),
  })
  .meta({ id: 'OperationResult' })
export type OperationResult = z.infer<typeof operationResultSchema>

const operationErrorSchema = z
  .strictObject({
    OpIndex: z
      .int()
      .meta({ description: 'Position of the operation in the transaction, from 0.', minimum: 0 }),
    What: z.string().meta({ description: 'Why the operation failed, for people.' }),
  })
  .meta({ id: 'OperationError' })
export type OperationError = z.infer<typeof operationErrorSchema>

const OF_READS = 'Only if no operation writes.'

const transactionAnswerSchema = z
  .strictObject({
    Results: z
      .array(operationResultSchema)
      .nullable()
      .meta({ description: 'The results, in the order of the operations; null if there are errors.' }),
    Errors: z
      .array(operationErrorSchema)
      .nullable()
      .meta({ description: 'The operations that failed (status 409), otherwise null.' }),
    Index: z
      .int()
      .optional()
      .meta({ description: `Always 0. ${OF_READS}` }),
    LastContact: z
      .int()
      .optional()
      .meta({ description: `Age of the shown data, in milliseconds. ${OF_READS}` }),
    KnownLeader: z
      .boolean()
      .optional()
      .meta({ description: `Whether the server can reach the primary database. ${OF_READS}` }),
    ConsistencyLevel: z
      .string()
      .optional()
      .meta({ description: `Always empty. ${OF_READS}` }),
  })
  .meta({ id: 'TransactionAnswer' })
export type TransactionAnswer = z.infer<typeof transactionAnswerSchema>

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
      referenceStatuses: { field_invalid: 400 },
    },
  }),
} satisfies ContractRoutes)
