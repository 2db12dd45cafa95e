/** The rules of policies. Decisions: status codes, rule language. */
import {
  AclError,
  type CreatePolicy,
  limits,
  type Policy,
  type PolicyListEntry,
  type UpdatePolicy,
} from '@latchkey/contract'
import { GLOBAL_MANAGEMENT_POLICY_ID, GLOBAL_MANAGEMENT_POLICY_NAME } from '../builtin.ts'
import { policyHash } from '../hash.ts'
import { type Random, randomUuid } from '../ports.ts'
import type { Directory } from '../records/directory.ts'
import type { PolicyRecord } from '../records/records.ts'

interface PolicyWriteContext {
  readonly directory: Directory
  /** The error in the request's rules, from `findRulesProblem`. */
  readonly rulesProblem: AclError | undefined
}

const POLICY_NAME = /^[A-Za-z0-9_-]+$/

/** Builds the record of a new policy. */
export function createPolicy(
  request: CreatePolicy,
  context: { readonly random: Random; readonly namespace: string } & PolicyWriteContext,
): PolicyRecord {
  if (request.ID) {
    throw new AclError('field_invalid', 'Cannot specify the ID when creating a new policy', { field: 'ID' })
  }
  checkName(request.Name)
  if (context.directory.policyByName(context.namespace, request.Name)) throw nameInUse(request.Name)
  checkNotReserved(request.Name)
  if (context.rulesProblem) throw context.rulesProblem
  return withPolicyHash({
    ID: randomUuid(context.random),
    Name: request.Name,
    Description: request.Description ?? '',
    Rules: request.Rules ?? '',
    Datacenters: request.Datacenters,
    Hash: '',
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: context.namespace,
  })
}

/**
 * Builds the updated record: replaces Description, Rules and Datacenters, and clears them if omitted. The
 * rules and datacenters of the built-in policy cannot change; its name and description can.
 */
export function updatePolicy(
  existing: PolicyRecord,
  request: UpdatePolicy,
  { directory, rulesProblem }: PolicyWriteContext,
): PolicyRecord {
  if (request.ID && request.ID.toLowerCase() !== existing.ID) {
    throw new AclError('accessor_mismatch', 'Policy ID in URL and payload do not match', { field: 'ID' })
  }
  checkName(request.Name)
  const holder = directory.policyByName(existing.Namespace, request.Name)
  if (holder && holder.ID !== existing.ID) throw nameInUse(request.Name)
  if (existing.ID === GLOBAL_MANAGEMENT_POLICY_ID) checkBuiltin(existing, request)
  else if (request.Name !== existing.Name) checkNotReserved(request.Name)
  if (rulesProblem) throw rulesProblem
  return withPolicyHash({
    ...existing,
    Name: request.Name,
    Description: request.Description ?? '',
    Rules: request.Rules ?? '',
    Datacenters: request.Datacenters,
  })
}

export function checkPolicyDelete(existing: PolicyRecord): void {
  if (existing.ID === GLOBAL_MANAGEMENT_POLICY_ID) {
    const message = `Delete operation not permitted on the builtin ${existing.Name} policy`
    throw new AclError('delete_refused', message)
  }
}

/** A policy in the answer of a read. Keys are in the order of the contract's schema. */
export function showPolicy(policy: PolicyRecord, showNamespace: boolean): Policy {
  return {
    ID: policy.ID,
    Name: policy.Name,
    Description: policy.Description,
    Rules: policy.Rules,
    ...(policy.Datacenters && policy.Datacenters.length > 0 ? { Datacenters: [...policy.Datacenters] } : {}),
    ...ending(policy, showNamespace),
  }
}

/** A policy in a list: without rules, always with Datacenters. */
export function showPolicyListEntry(policy: PolicyRecord, showNamespace: boolean): PolicyListEntry {
  return {
    ID: policy.ID,
    Name: policy.Name,
    Description: policy.Description,
    Datacenters: policy.Datacenters ? [...policy.Datacenters] : null,
    ...ending(policy, showNamespace),
  }
}

function ending(policy: PolicyRecord, showNamespace: boolean) {
  return {
    Hash: policy.Hash,
    CreateIndex: policy.CreateIndex,
    ModifyIndex: policy.ModifyIndex,
    ...(showNamespace ? { Namespace: policy.Namespace } : {}),
  }
}

export function withPolicyHash(policy: PolicyRecord): PolicyRecord {
  return { ...policy, Hash: policyHash(policy) }
}

function checkName(name: string): void {
  if (name === '') throw new AclError('field_required', 'Invalid Policy: no Name is set', { field: 'Name' })
  if (!POLICY_NAME.test(name) || name.length > limits.POLICY_NAME_LENGTH_MAX) {
    const message = `Invalid Policy: invalid Name. Only alphanumeric characters, '-' and '_' are allowed, at most ${limits.POLICY_NAME_LENGTH_MAX}`
    throw new AclError('name_invalid', message, { field: 'Name' })
  }
}

/** The name of the built-in policy is reserved in every namespace. Decisions: namespaces. */
function checkNotReserved(name: string): void {
  if (name.toLowerCase() !== GLOBAL_MANAGEMENT_POLICY_NAME) return
  const message = `Invalid Policy: the Name "${GLOBAL_MANAGEMENT_POLICY_NAME}" is reserved for the builtin policy`
  throw new AclError('name_invalid', message, { field: 'Name' })
}

function checkBuiltin(existing: PolicyRecord, request: UpdatePolicy): void {
  if (request.Datacenters !== undefined) {
    const message = `Changing the Datacenters of the builtin ${existing.Name} policy is not permitted`
    throw new AclError('builtin_immutable', message, { field: 'Datacenters' })
  }
  if ((request.Rules ?? '') !== existing.Rules) {
    const message = `Changing the Rules for the builtin ${existing.Name} policy is not permitted`
    throw new AclError('builtin_immutable', message, { field: 'Rules' })
  }
}

function nameInUse(name: string): AclError {
  return new AclError('name_in_use', `Invalid Policy: A Policy with Name "${name}" already exists`, {
    field: 'Name',
  })
}
