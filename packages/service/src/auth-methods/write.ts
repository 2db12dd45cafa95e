/** Writes auth methods: updates the one with this name, ignoring case, or else creates one. Decisions: auth methods. */
import {
  type AuthMethodContext,
  type AuthMethodRecord,
  type AuthMethodRequest,
  type AuthMethodType,
  checkRulesFit,
  writeAuthMethod,
} from '@latchkey/acl'
import type { AuthMethod } from '@latchkey/contract'
import type { Context, JsonAnswer } from '../handler.ts'
import { isSecondary, type ServiceOptions } from '../options.ts'
import { inBodyNamespace } from '../request/namespace.ts'
import { created, decideAndCommitFor, modified } from '../store/commit.ts'
import { authMethodShown } from './stored-auth-method.ts'

/** @param isChecked whether to fetch the URLs of the method. */
export async function writeAuthMethodBy(
  call: Context,
  request: AuthMethodRequest & { readonly Namespace?: string | undefined },
  isChecked: boolean,
): Promise<JsonAnswer<AuthMethod>> {
  const there = inBodyNamespace(call, request.Namespace)
  const { service } = call
  const generation = randomGeneration(service)
  const decide = () => {
    const directory = service.store.directory()
    const existing = directory.authMethod(there.namespace, request.Name ?? '')
    const record = writeAuthMethod(request, existing, contextOf(there, generation))
    if (existing) checkRulesFit(existing, record, directory.bindingRulesOf(existing))
    return { existing, record }
  }
  // Runs before the commit, because a provider may take seconds to answer.
  await service.identity.verifier.check(decide().record, { fetch: isChecked })
  return decideAndCommitFor(call, () => {
    const { existing, record } = decide()
    return {
      changes: [{ table: 'authMethods', op: 'put', record, expect: existing?.ModifyIndex ?? 0 }],
      answer: (index) => authMethodShown(there, written(existing, record, index)),
    }
  })
}

function written(
  existing: AuthMethodRecord | undefined,
  record: AuthMethodRecord,
  index: number,
): AuthMethodRecord {
  return existing ? modified(record, index) : created(record, index)
}

function contextOf({ service, namespace }: Context, generation: number): AuthMethodContext {
  const { profile, edition, identity } = service
  return {
    types: typesOf(service),
    isPrimary: !isSecondary(service),
    hasNamespaces: edition === 'extended' && profile.has('authMethod.namespaceRules'),
    allowHttp: identity.allowHttp,
    unknownFields: new Set([
      ...(profile.has('authMethod.acrValues') ? [] : ['OIDCACRValues']),
      ...(edition === 'extended' && profile.has('authMethod.mapNamespaces') ? [] : NAMESPACE_FIELDS),
    ]),
    namespace,
    generation,
    now: service.clock.now(),
  }
}

const NAMESPACE_FIELDS = ['ConsulNamespaceOverrides', 'ConsulNamespacePrefix', 'MapNamespaces']

function typesOf({ profile, edition }: ServiceOptions): readonly AuthMethodType[] {
  if (!profile.has('authMethod.jwt')) return ['kubernetes']
  return edition === 'extended' ? ['jwt', 'kubernetes', 'oidc'] : ['jwt', 'kubernetes']
}

/** Six random bytes, so that a later method of the same name has another generation. Never 0, which means no method. */
function randomGeneration({ random }: ServiceOptions): number {
  return random.bytes(6).reduce((number, byte) => number * 256 + byte, 0) + 1
}
