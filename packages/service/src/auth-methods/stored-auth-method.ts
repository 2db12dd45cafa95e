/** Finds stored auth methods, and renders them for callers. */
import { type AuthMethodRecord, type Directory, shownConfig } from '@latchkey/acl'
import type { AuthMethod } from '@latchkey/contract'
import { type Context, type JsonAnswer, json, notFound } from '../handler.ts'

/** Finds an auth method in the request's namespace by its name, in any case. */
export function findAuthMethod(
  call: Context,
  directory: Directory,
  name: string,
): AuthMethodRecord | undefined {
  return directory.authMethod(call.namespace, name)
}

/** @throws AclError `not_found`. */
export function requireAuthMethod(call: Context, directory: Directory, name: string): AuthMethodRecord {
  const method = findAuthMethod(call, directory, name)
  if (!method) throw authMethodMissing()
  return method
}

export function authMethodMissing() {
  return notFound('Requested auth method')
}

/** Shows secrets of the configuration only to callers with `acl:write`. Decisions: auth methods. */
export function authMethodShown(call: Context, method: AuthMethodRecord): JsonAnswer<AuthMethod> {
  const { caller, service } = call
  const { MaxTokenTTL, Name, Type, DisplayName, Description, TokenLocality, NamespaceRules } = method
  return json({
    ...(MaxTokenTTL === undefined ? {} : { MaxTokenTTL }),
    Name,
    Type,
    ...(DisplayName === '' ? {} : { DisplayName }),
    ...(Description === '' ? {} : { Description }),
    ...(TokenLocality === '' ? {} : { TokenLocality }),
    // A stored configuration has passed the schema of the contract.
    Config: shownConfig(method, caller.authorizer.aclWrite) as AuthMethod['Config'],
    ...(NamespaceRules.length === 0 ? {} : { NamespaceRules: [...NamespaceRules] }),
    ...limitsShown(method),
    CreateIndex: method.CreateIndex,
    ModifyIndex: method.ModifyIndex,
    ...(service.edition === 'extended' ? { Namespace: method.Namespace } : {}),
  })
}

/** The limits of a method: extensions, shown only if they are set. */
export function limitsShown({ MaxLiveTokens, IdleTTL }: AuthMethodRecord) {
  return {
    ...(MaxLiveTokens === undefined ? {} : { MaxLiveTokens }),
    ...(IdleTTL === undefined ? {} : { IdleTTL }),
  }
}
