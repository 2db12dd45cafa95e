/** Parses the operations in the body of a transaction. Decisions: transactions. */

import { DEFAULT_NAMESPACE, isUuid } from '@latchkey/acl'
import {
  AclError,
  CATALOG_VERBS,
  type CatalogVerb,
  KEY_VERBS,
  type KeyVerb,
  type Operation as OperationBody,
} from '@latchkey/contract'
import type { CheckRecord, NodeRecord, ServiceRecord } from '../records/catalog-records.ts'
import { readCheck, readService } from '../registration/registered-records.ts'
import type { Outcome } from './outcome.ts'

export interface KeyOperation {
  readonly kind: 'key'
  readonly verb: KeyVerb
  readonly namespace: string
  /** The key, or the prefix of a tree. */
  readonly key: string
  readonly value: Uint8Array
  readonly flags: bigint
  readonly index: number
  /** In lower case; empty for none. */
  readonly session: string
}

interface CatalogOperation {
  readonly verb: CatalogVerb
  readonly node: string
  /** The ModifyIndex that `cas` and `delete-cas` expect; 0 for no record. */
  readonly index: number
}

export interface NodeOperation extends CatalogOperation {
  readonly kind: 'node'
  readonly record: NodeRecord
}

export interface ServiceOperation extends CatalogOperation {
  readonly kind: 'service'
  readonly id: string
  /** As sent; empty for a `get` by ID only. */
  readonly name: string
  readonly namespace: string
  readonly record: ServiceRecord | undefined
}

export interface CheckOperation extends CatalogOperation {
  readonly kind: 'check'
  readonly id: string
  readonly namespace: string
  readonly record: CheckRecord | undefined
}

interface FaultyOperation {
  readonly kind: 'fault'
  /** Malformed operations are refused; those that no verb or session can apply fail with others. */
  readonly outcome: Exclude<Outcome, { readonly shown: unknown }>
  readonly reads: boolean
}

export type Operation = KeyOperation | NodeOperation | ServiceOperation | CheckOperation | FaultyOperation

interface ReadOperationsOptions {
  readonly datacenter: string
  /** Chooses the namespace of a key, service or check, from the field of the body. */
  readonly namespaceOf: (field: string | undefined) => string
}

/** Reads one operation. @returns undefined if the body contains no operation. */
export function readOperation(body: OperationBody, options: ReadOperationsOptions): Operation | undefined {
  const { KV, Node, Service, Check } = body
  if (KV) return readKeyOperation(KV, options)
  if (Node) return readNodeOperation(Node, options)
  if (Service) return readServiceOperation(Service, options)
  return Check && readCheckOperation(Check, options)
}

export function isRead(operation: Operation): boolean {
  return operation.kind === 'fault' ? operation.reads : isReading(operation.verb)
}

function isReading(verb: string): boolean {
  return verb.startsWith('get') || verb.startsWith('check-')
}

function readKeyOperation(
  body: NonNullable<OperationBody['KV']>,
  { namespaceOf }: ReadOperationsOptions,
): Operation {
  const { Verb = '', Key: key = '', Value = '', Flags: flags = 0n, Index: index = 0, Session = '' } = body
  const namespace = namespaceOf(body.Namespace)
  const verb = KEY_VERBS.find((known) => known === Verb)
  const reads = verb === undefined || isReading(verb)
  if (key === '' && verb !== 'delete-tree') return refused('Must provide key', reads)
  if (verb === undefined) return failing(unknownVerb('KV', Verb), reads)
  if (verb === 'lock' && Session === '') return failing('missing session', reads)
  const value = Uint8Array.from(atob(Value), (char) => char.charCodeAt(0))
  return { kind: 'key', verb, namespace, key, value, flags, index, session: Session.toLowerCase() }
}

function readNodeOperation(
  body: NonNullable<OperationBody['Node']>,
  { datacenter }: ReadOperationsOptions,
): Operation {
  const { Verb = '', Node: given } = body
  const { ID = '', Node = '', Address = '', Datacenter = '', ModifyIndex: index = 0 } = given
  const verb = catalogVerb(Verb)
  const refuse = (what: string) => refused(what, verb === 'get')
  if (Node === '' && (verb !== 'get' || ID === '')) return refuse('Must provide node')
  if (ID !== '' && !isUuid(ID)) return refuse(`Bad node ID: ${JSON.stringify(ID)} is no UUID`)
  if (Datacenter !== '' && Datacenter !== datacenter) return refuse('No path to datacenter')
  if (verb === undefined) return failing(unknownVerb('Node', Verb), false)
  const record: NodeRecord = {
    ID: ID.toLowerCase(),
    Node,
    Address,
    TaggedAddresses: given.TaggedAddresses ?? null,
    Meta: given.Meta ?? null,
    CreateIndex: 0,
    ModifyIndex: 0,
  }
  return { kind: 'node', verb, node: Node, index, record }
}

function readServiceOperation(
  body: NonNullable<OperationBody['Service']>,
  { namespaceOf }: ReadOperationsOptions,
): Operation {
  const { Verb = '', Node: node = '', Service: given } = body
  const { ID = '', Service: name = '', ModifyIndex: index = 0 } = given
  const namespace = namespaceOf(given.Namespace)
  const verb = catalogVerb(Verb)
  if (node === '') return refused('Must provide node', verb === 'get')
  const of = { kind: 'service', node, id: ID || name, name, namespace, index } as const
  if (verb === 'get') return { ...of, verb, record: undefined }
  if (name === '' && ID !== '') return refused('Must provide service name with ID', false)
  return orFault(() => {
    // A delete must have the same form.
    const record = readService(given, node, namespace)
    if (verb === undefined) return failing(unknownVerb('Service', Verb), false)
    return { ...of, verb, record: verb === 'set' || verb === 'cas' ? record : undefined }
  })
}

function readCheckOperation(
  body: NonNullable<OperationBody['Check']>,
  { namespaceOf }: ReadOperationsOptions,
): Operation {
  const { Verb = '', Check: given } = body
  const { Node: node = '', CheckID = '', Name = '', ServiceID = '', ModifyIndex: index = 0 } = given
  const chosen = namespaceOf(given.Namespace)
  const verb = catalogVerb(Verb)
  if (node === '') return refused('Must provide node', verb === 'get')
  const puts = verb === 'set' || verb === 'cas'
  const namespace = puts && ServiceID === '' ? DEFAULT_NAMESPACE : chosen
  const of = { kind: 'check', node, id: CheckID || Name, namespace, index } as const
  if (verb === undefined) return failing(unknownVerb('Check', Verb), false)
  if (of.id === '') return refused('Must provide check name', verb === 'get')
  return orFault(() => ({ ...of, verb, record: puts ? readCheck(given, node, chosen) : undefined }))
}

function catalogVerb(verb: string): CatalogVerb | undefined {
  return CATALOG_VERBS.find((known) => known === verb)
}

function unknownVerb(kind: string, verb: string): string {
  return `unknown ${kind} verb ${JSON.stringify(verb)}`
}

function refused(what: string, reads: boolean): FaultyOperation {
  return { kind: 'fault', outcome: { refused: what }, reads }
}

function failing(what: string, reads: boolean): FaultyOperation {
  return { kind: 'fault', outcome: { failed: what }, reads }
}

function orFault(read: () => Operation): Operation {
  try {
    return read()
  } catch (error) {
    if (error instanceof AclError) return refused(error.message, false)
    throw error
  }
}
