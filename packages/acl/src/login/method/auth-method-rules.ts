/** The rules of auth methods. Decisions: auth methods. */
import { AclError, formatDurationMs, formatInstant, limits, writtenNamesOf } from '@latchkey/contract'
import type {
  AuthMethodConfiguration,
  AuthMethodRecord,
  AuthMethodType,
  BindingRuleRecord,
  NamespaceRule,
} from '../../records/login-records.ts'
import { DEFAULT_NAMESPACE } from '../../records/records.ts'
import { attributesOf } from '../attributes.ts'
import { checkBindName } from '../bind-name.ts'
import { prepareRule } from '../evaluate-login.ts'
import { checkSelector, prefixed } from '../selector/check-selector.ts'
import {
  type ConfigContext,
  type ConfigRequest,
  checkConfig,
  invalidMethod,
  splitConfig,
} from './auth-method-config.ts'

export interface AuthMethodRequest {
  readonly Name?: string | undefined
  readonly Type?: string | undefined
  readonly DisplayName?: string | undefined
  readonly Description?: string | undefined
  /** Milliseconds; 0 for none. */
  readonly MaxTokenTTL?: number | undefined
  readonly TokenLocality?: string | undefined
  /** 0 for none. */
  readonly MaxLiveTokens?: number | undefined
  /** Milliseconds; 0 for none. */
  readonly IdleTTL?: number | undefined
  readonly Config?: ConfigRequest | undefined
  readonly NamespaceRules?:
    | readonly { readonly Selector?: string | undefined; readonly BindNamespace: string }[]
    | undefined
}

export interface AuthMethodContext extends ConfigContext {
  readonly types: readonly AuthMethodType[]
  /** Whether tokens of this datacenter may be global. */
  readonly isPrimary: boolean
  readonly hasNamespaces: boolean
  /** The namespace of the method, chosen as in spec 4.9. */
  readonly namespace: string
  /** A number that no earlier method of this name had. */
  readonly generation: number
  readonly now: number
}

const METHOD_NAME = /^[A-Za-z0-9_-]+$/

/**
 * Builds the record of a written method: a new one, or an existing one whose whole content is replaced.
 * @param existing the method with this name, ignoring case; its spelling is kept. A change of TokenLocality
 * starts a new generation, which invalidates the tokens that the method created.
 */
export function writeAuthMethod(
  request: AuthMethodRequest,
  existing: AuthMethodRecord | undefined,
  context: AuthMethodContext,
): AuthMethodRecord {
  const Name = existing?.Name ?? checkName(request.Name ?? '')
  const type = checkType(request.Type || existing?.Type || '', existing, context)
  const MaxTokenTTL = checkMaxTokenTtl(request.MaxTokenTTL ?? 0, type)
  const TokenLocality = checkLocality(request.TokenLocality ?? '', context)
  const MaxLiveTokens = checkMaxLiveTokens(request.MaxLiveTokens ?? 0)
  const IdleTTL = checkLifetime('IdleTTL', request.IdleTTL ?? 0)
  const configuration = checkConfig(type, request.Config ?? {}, context)
  checkMapping(configuration, context)
  const NamespaceRules = checkNamespaceRules(request.NamespaceRules ?? [], configuration, context)
  const isMoved =
    existing !== undefined && (existing.TokenLocality === 'global') !== (TokenLocality === 'global')
  return {
    ...configuration,
    Name,
    DisplayName: request.DisplayName ?? '',
    Description: request.Description ?? '',
    MaxTokenTTL,
    TokenLocality,
    EmptyConfig: splitConfig(request.Config ?? {}).empty,
    ...writtenNames(request.Config ?? {}),
    MaxLiveTokens,
    IdleTTL,
    IdleSince: IdleTTL === existing?.IdleTTL ? existing?.IdleSince : IdleTTL && formatInstant(context.now),
    NamespaceRules,
    Generation: existing === undefined || isMoved ? context.generation : existing.Generation,
    CreateIndex: existing?.CreateIndex ?? 0,
    ModifyIndex: existing?.ModifyIndex ?? 0,
    Namespace: existing?.Namespace ?? context.namespace,
  }
}

/** Checks the binding rules of a method against its new mappings: a valid rule must stay valid. */
export function checkRulesFit(
  existing: AuthMethodRecord,
  updated: AuthMethodRecord,
  rules: readonly BindingRuleRecord[],
): void {
  const [before, after] = [attributesOf(existing), attributesOf(updated)]
  for (const rule of rules.toSorted((a, b) => (a.ID < b.ID ? -1 : 1))) {
    const { prepared } = prepareRule(rule, after)
    if (!('problem' in prepared) || 'problem' in prepareRule(rule, before).prepared) continue
    throw invalidMethod('Config', `binding rule ${rule.ID} would no longer fit: ${prepared.problem}`)
  }
}

/** How the body spelled the fields that it set. */
function writtenNames(config: ConfigRequest): Pick<AuthMethodRecord, 'WrittenNames'> {
  const names = [...(writtenNamesOf(config) ?? [])].filter(
    ([name]) => config[name as keyof ConfigRequest] !== undefined,
  )
  return names.length === 0 ? {} : { WrittenNames: Object.fromEntries(names) }
}

function checkName(name: string): string {
  if (name === '') throw invalidMethod('Name', 'no Name is set', 'field_required')
  const lengthMax = limits.AUTH_METHOD_NAME_LENGTH_MAX
  if (METHOD_NAME.test(name) && name.length <= lengthMax) return name
  const problem = `invalid Name. Only alphanumeric characters, '-' and '_' are allowed, at most ${lengthMax}`
  throw invalidMethod('Name', problem, 'name_invalid')
}

function checkType(
  type: string,
  existing: AuthMethodRecord | undefined,
  { types }: AuthMethodContext,
): AuthMethodType {
  if (existing !== undefined && type !== existing.Type) {
    throw new AclError('field_immutable', 'the Type field of an Auth Method is immutable', { field: 'Type' })
  }
  const known = types.find((each) => each === type)
  if (known !== undefined) return known
  const code = type === '' ? 'field_required' : 'field_invalid'
  throw invalidMethod('Type', `Type should be one of: [${types.join(' ')}]`, code)
}

function checkMaxTokenTtl(ttlMs: number, type: AuthMethodType): string | undefined {
  if (ttlMs !== 0 || type !== 'oidc') return checkLifetime('MaxTokenTTL', ttlMs)
  throw invalidMethod('MaxTokenTTL', 'MaxTokenTTL must be set for type "oidc"', 'field_required')
}

function checkLifetime(field: 'MaxTokenTTL' | 'IdleTTL', ms: number): string | undefined {
  if (ms === 0) return undefined
  const { EXPIRATION_MS_MAX: max, EXPIRATION_MS_MIN: min } = limits
  const shown = formatDurationMs(ms)
  if (ms >= min && ms <= max) return shown
  const bound = ms > max ? `more than ${formatDurationMs(max)}` : `less than ${formatDurationMs(min)}`
  throw new AclError('expiration_out_of_bounds', `${field} ${shown} cannot be ${bound}`, { field })
}

function checkMaxLiveTokens(count: number): number | undefined {
  if (count === 0) return undefined
  const { LIVE_TOKENS_MAX: max } = limits
  if (Number.isInteger(count) && count > 0 && count <= max) return count
  const problem = `MaxLiveTokens must be a whole number from 1 to ${max}, or 0 for no bound`
  throw invalidMethod('MaxLiveTokens', problem)
}

function checkLocality(
  locality: string,
  { isPrimary }: AuthMethodContext,
): AuthMethodRecord['TokenLocality'] {
  const isKnown = locality === '' || locality === 'local' || locality === 'global'
  if (isKnown && (locality !== 'global' || isPrimary)) return locality
  const problem = isKnown
    ? `TokenLocality 'global' can only be used in the primary datacenter`
    : `TokenLocality should be one of 'local' or 'global'`
  throw invalidMethod('TokenLocality', problem)
}

/** Whether claims decide the namespace of a token. */
export function choosesNamespace(method: AuthMethodRecord): boolean {
  return method.NamespaceRules.length > 0 || mapsNamespaces(method)
}

function mapsNamespaces(method: AuthMethodConfiguration): boolean {
  return method.Type === 'kubernetes' && method.Config.MapNamespaces === true
}

function checkMapping(configuration: AuthMethodConfiguration, { namespace }: AuthMethodContext): void {
  if (!mapsNamespaces(configuration) || namespace === DEFAULT_NAMESPACE) return
  const problem = `MapNamespaces needs a method in the namespace "${DEFAULT_NAMESPACE}"`
  throw invalidMethod('Config.MapNamespaces', problem)
}

function checkNamespaceRules(
  rules: NonNullable<AuthMethodRequest['NamespaceRules']>,
  configuration: AuthMethodConfiguration,
  { namespace, hasNamespaces }: AuthMethodContext,
): readonly NamespaceRule[] {
  if (rules.length > 0 && !(hasNamespaces && namespace === DEFAULT_NAMESPACE)) {
    const where = hasNamespaces ? `a method in the namespace "${DEFAULT_NAMESPACE}"` : 'the extended edition'
    throw invalidMethod('NamespaceRules', `NamespaceRules need ${where}`)
  }
  const attributes = attributesOf(configuration)
  return rules.map(({ Selector = '', BindNamespace }, index) => {
    const path = `NamespaceRules[${index}]`
    prefixed('Invalid Auth Method', () => checkSelector(Selector, attributes, `${path}.Selector`))
    const field = `${path}.BindNamespace`
    if (BindNamespace === '') throw invalidMethod(field, 'no BindNamespace is set', 'field_required')
    prefixed('Invalid Auth Method', () => checkBindName(BindNamespace, 'namespace', { attributes, field }))
    return { Selector, BindNamespace }
  })
}
