import type {
  AuthMethodContext,
  AuthMethodRecord,
  AuthMethodRequest,
  AuthMethodType,
  Directory,
} from '@latchkey/acl'
import { checkRulesFit, shownConfig, writeAuthMethod } from '@latchkey/acl'
import { AclError, type AuthMethod, formatInstant, isReferenceFamily, limits } from '@latchkey/contract'
import { type Context, type Handler, type JsonAnswer, json } from '../handler.ts'
import { isSecondary, type ServiceOptions } from '../options.ts'
import { type Kind, readRecord, requireRecord, writeRecord } from '../records.ts'
import { acceptsProblem } from '../reply/render.ts'
import { inBodyNamespace, isListed } from '../request/namespace.ts'
import { remove } from '../store/changes.ts'
import { decideAndCommitFor } from '../store/commit.ts'

export const AUTH_METHODS: Kind<'authMethods', AuthMethod> = {
  table: 'authMethods',
  subject: 'Requested auth method',
  find: (directory, name, namespace) => directory.authMethod(namespace, name),
  show: showAuthMethod,
}

export const createAuthMethodHandler: Handler<'authMethods.create'> = (call) =>
  writeAuthMethodBy(call, call.body, call.query.check !== 'false')

export const readAuthMethodHandler: Handler<'authMethods.read'> = (call) =>
  readRecord(AUTH_METHODS, call, call.params.Name)

export const updateAuthMethodHandler: Handler<'authMethods.update'> = async (call) => {
  const { body, params, query } = call
  if (params.Name !== '' && body.Name && body.Name !== params.Name) {
    const message = 'AuthMethod Name in URL and payload do not match'
    throw new AclError('accessor_mismatch', message, { field: 'Name' })
  }
  return writeAuthMethodBy(call, { ...body, Name: params.Name || body.Name }, query.check !== 'false')
}

/**
 * Deletes a method with its rules. Its tokens refer to a deleted generation, so they immediately act as deleted; a job of the
 * server removes their rows in batches. Decisions: auth methods.
 */
export const deleteAuthMethodHandler: Handler<'authMethods.delete'> = (call) =>
  decideAndCommitFor(call, () => {
    const directory = call.service.store.directory()
    const method = requireRecord(AUTH_METHODS, call, directory, call.params.Name)
    const rules = directory.bindingRulesOf(method)
    const changes = [...rules.map((rule) => remove('bindingRules', rule)), remove('authMethods', method)]
    return { changes, answer: () => json(true) }
  })

export const listAuthMethodsHandler: Handler<'authMethods.list'> = (call) => {
  const { edition, profile } = call.service
  const showsLifetime = profile.has('authMethod.listedLifetime')
  const methods = [...call.directory.authMethods()].filter((method) => isListed(call, method.Namespace))
  return json(
    methods.map((method) => {
      const { Name, Type, DisplayName, Description, MaxTokenTTL, TokenLocality } = method
      return {
        Name,
        Type,
        ...(DisplayName === '' ? {} : { DisplayName }),
        ...(Description === '' ? {} : { Description }),
        ...(showsLifetime && MaxTokenTTL !== undefined ? { MaxTokenTTL } : {}),
        ...(showsLifetime && TokenLocality !== '' ? { TokenLocality } : {}),
        ...limitsShown(method),
        CreateIndex: method.CreateIndex,
        ModifyIndex: method.ModifyIndex,
        ...(edition === 'extended' ? { Namespace: method.Namespace } : {}),
      }
    }),
    { topic: 'authMethods' },
  )
}

/** @param isChecked whether to fetch the URLs of the method. */
async function writeAuthMethodBy(
  call: Context,
  request: AuthMethodRequest & { readonly Namespace?: string | undefined },
  isChecked: boolean,
): Promise<JsonAnswer<AuthMethod>> {
  const there = inBodyNamespace(call, request.Namespace)
  const { service } = call
  // Six random bytes, so that a later method of the same name has another generation. Never 0, which means no method.
  const generation = service.random.bytes(6).reduce((number, byte) => number * 256 + byte, 0) + 1
  const decide = (directory: Directory) => {
    const existing = directory.authMethod(there.namespace, request.Name ?? '')
    const record = writeAuthMethod(request, existing, contextOf(there, generation))
    if (existing) checkRulesFit(existing, record, directory.bindingRulesOf(existing))
    return { existing, record }
  }
  // Runs before the commit, because a provider may take seconds to answer.
  await service.identity.verifier.check(decide(service.store.directory()).record, { fetch: isChecked })
  return writeRecord(AUTH_METHODS, there, decide)
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

/**
 * Shows secrets of the configuration only to callers with `acl:write`, and its names as written only to clients of the
 * reference, which compare them with what they write. Decisions: auth methods.
 */
function showAuthMethod(call: Context, method: AuthMethodRecord): AuthMethod {
  const { caller, service } = call
  const { MaxTokenTTL, Name, Type, DisplayName, Description, TokenLocality, NamespaceRules } = method
  return {
    ...(MaxTokenTTL === undefined ? {} : { MaxTokenTTL }),
    Name,
    Type,
    ...(DisplayName === '' ? {} : { DisplayName }),
    ...(Description === '' ? {} : { Description }),
    ...(TokenLocality === '' ? {} : { TokenLocality }),
    // A stored configuration has passed the schema of the contract.
    Config: shownConfig(method, {
      seesSecrets: caller.authorizer.aclWrite,
      isRespelled: isReferenceFamily(call.family.prefix) && !acceptsProblem(call.request),
    }) as AuthMethod['Config'],
    ...(NamespaceRules.length === 0 ? {} : { NamespaceRules: [...NamespaceRules] }),
    ...limitsShown(method),
    CreateIndex: method.CreateIndex,
    ModifyIndex: method.ModifyIndex,
    ...(service.edition === 'extended' ? { Namespace: method.Namespace } : {}),
  }
}

function limitsShown({ MaxLiveTokens, IdleTTL }: AuthMethodRecord) {
  return {
    ...(MaxLiveTokens === undefined ? {} : { MaxLiveTokens }),
    ...(IdleTTL === undefined ? {} : { IdleTTL }),
  }
}

export const loginsHandler: Handler<'authMethods.logins'> = (call) => {
  const { query, service, directory } = call
  const { Generation: generation } = requireRecord(AUTH_METHODS, call, directory, call.params.Name)
  const { limit = limits.PAGE_LIMIT_MAX } = query
  const after = query.cursor === undefined ? undefined : parseCursor(query.cursor)
  const asked = { generation, now: call.now, limit, ...(after === undefined ? {} : { after }) }
  return call.walks.run(async () => {
    const groups = await service.store.logins(asked)
    const last = groups.at(-1)
    const logins = groups.map(({ identity, count, oldestCreateTime, lastUse }) => ({
      Identity: identity,
      LiveTokens: count,
      OldestCreateTime: oldestCreateTime,
      ...(lastUse === undefined ? {} : { LastUse: formatInstant(Math.min(lastUse, call.now)) }),
    }))
    const nextCursor = groups.length === limit && last ? formatCursor(last.identity) : undefined
    return { ...json(logins), nextCursor }
  }, call)
}

/** Returns a cursor that is opaque to clients and fits into a header. It is never empty, although an identity may be. */
function formatCursor(identity: string): string {
  return `.${encodeURIComponent(identity)}`
}

function parseCursor(text: string): string {
  try {
    if (text.startsWith('.')) return decodeURIComponent(text.slice(1))
  } catch (error) {
    if (!(error instanceof URIError)) throw error
  }
  throw new AclError('query_invalid', 'cursor is not one that this service gave', { field: 'cursor' })
}
