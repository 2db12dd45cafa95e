/**
 * Evaluates a login: every binding rule of the method against the claims. The plan and the explanation use the same
 * evaluation, so an explanation cannot differ from the login. Decisions: login.
 */
import { AclError } from '@latchkey/contract'
import { linksGlobalManagement } from '../global-management.ts'
import type { Directory } from '../records/directory.ts'
import type {
  AuthMethodRecord,
  BindingRuleRecord,
  BindType,
  NamespaceRule,
} from '../records/login-records.ts'
import { DEFAULT_NAMESPACE, type RoleRecord } from '../records/records.ts'
import { type Attributes, type ClaimFault, type MappedClaims, mapClaims } from './attributes.ts'
import { type BindName, checkBindName, computeBindName } from './bind-name.ts'
import type { LoginRefusal } from './login-refusal.ts'
import { type CheckedSelector, checkSelector, matchesClaims } from './selector/check-selector.ts'
import type { Claims } from './verifier.ts'

/** A method with its rules, parsed once for many logins. */
export interface PreparedLogin {
  readonly method: AuthMethodRecord
  readonly rules: readonly PreparedRule[]
  readonly namespaceRules: readonly Prepared[]
}

export interface PreparedRule {
  readonly rule: BindingRuleRecord
  readonly prepared: Prepared
}

/**
 * A parsed selector and name, or why they do not match the method, which may have changed after the rule was written.
 */
export type Prepared =
  | { readonly selector: CheckedSelector | undefined; readonly name: BindName }
  | { readonly problem: string }

export function prepareRule(rule: BindingRuleRecord, attributes: Attributes): PreparedRule {
  return { rule, prepared: prepare(rule.Selector, { name: rule.BindName, type: rule.BindType, attributes }) }
}

export function prepareNamespaceRule(
  { Selector, BindNamespace }: NamespaceRule,
  attributes: Attributes,
): Prepared {
  return prepare(Selector, { name: BindNamespace, type: 'namespace', attributes })
}

function prepare(
  selector: string,
  { name, type, attributes }: { name: string; type: BindType | 'namespace'; attributes: Attributes },
): Prepared {
  try {
    return { selector: checkSelector(selector, attributes), name: checkBindName(name, type, { attributes }) }
  } catch (error) {
    if (error instanceof AclError) return { problem: error.message }
    throw error
  }
}

type RuleOutcome =
  | { readonly outcome: 'bound'; readonly name: string; readonly role?: RoleRecord }
  | { readonly outcome: 'unfit'; readonly problem: string }
  | { readonly outcome: 'unmatched' }
  | { readonly outcome: 'claim_missing'; readonly attributes: readonly string[] }
  | { readonly outcome: 'name_invalid' }
  | { readonly outcome: 'role_missing'; readonly name: string }
  /** The role has global management, which a login never grants in an edition with namespaces. */
  | { readonly outcome: 'role_global'; readonly name: string }

export interface EvaluatedRule extends PreparedRule {
  readonly result: RuleOutcome
}

interface MappedLogin {
  readonly method: AuthMethodRecord
  readonly claims: MappedClaims
  readonly fault: ClaimFault | undefined
}

export interface BegunEvaluation extends MappedLogin {
  readonly namespace: string | undefined
  readonly roleByName: (name: string) => RoleRecord | undefined
  readonly hasNamespaces: boolean
}

export interface LoginEvaluation extends MappedLogin {
  /** The namespace of the token; the method's own if no namespace rule matches. */
  readonly namespace: string
  /** Why the login is refused, even if rules apply; `undefined` if it is accepted. */
  readonly refusal: LoginRefusal | undefined
  readonly rules: readonly EvaluatedRule[]
}

const NO_CLAIMS: MappedClaims = { texts: new Map(), lists: new Map() }

/**
 * Maps the claims and computes the namespace. Unless there is a fault, {@link evaluateRule} of each rule follows, then
 * {@link concludeEvaluation}.
 *
 * @param claims verified claims, or sample claims from an administrator.
 * @param hasNamespaces whether the edition has namespaces, which limit rights. Decisions: rights across namespaces.
 */
export function beginEvaluation(
  login: Omit<PreparedLogin, 'rules'>,
  claims: Claims,
  directory: Directory,
  hasNamespaces = false,
): BegunEvaluation {
  const { method } = login
  const { fault, mapped } = { mapped: NO_CLAIMS, ...mapClaims(method, claims) }
  const namespace = fault ? method.Namespace : namespaceOf(login, mapped, directory)
  const roleByName = (name: string) => directory.roleByName(namespace ?? method.Namespace, name)
  return { method, claims: mapped, fault, namespace, roleByName, hasNamespaces }
}

export function evaluateRule(prepared: PreparedRule, begun: BegunEvaluation): EvaluatedRule {
  return { ...prepared, result: resultOf(prepared, begun) }
}

/** Patterns and characters that a rule may have to match: its selector may read the whole longest claim. */
export function sizeOfRule({ prepared }: PreparedRule, { claims: { texts, lists } }: BegunEvaluation) {
  const lengths = [...texts.values(), ...lists.values()].map(({ length }) => length)
  const patterns = 'selector' in prepared ? (prepared.selector?.patternCount ?? 0) : 0
  return { patterns, length: Math.max(0, ...lengths) }
}

/** @param rules every rule of the method in order of ID; none if there is a fault. */
export function concludeEvaluation(begun: BegunEvaluation, rules: readonly EvaluatedRule[]): LoginEvaluation {
  const { method, claims, fault, namespace } = begun
  const invalid = rules.find(({ result }) => result.outcome === 'name_invalid')?.rule
  const refusal = fault
    ? fault.reason
    : namespace === undefined
      ? 'namespace_uncomputed'
      : invalid && (`bind_name_${invalid.BindType}` as const)
  return { method, claims, fault, namespace: namespace ?? method.Namespace, refusal, rules }
}

function resultOf(
  { rule, prepared }: PreparedRule,
  { claims, roleByName, hasNamespaces }: BegunEvaluation,
): RuleOutcome {
  if ('problem' in prepared) return { outcome: 'unfit', problem: prepared.problem }
  if (!matchesClaims(prepared.selector, claims)) return { outcome: 'unmatched' }
  const computed = computeBindName(prepared.name, rule.BindType, claims.texts)
  if (computed.outcome !== 'computed') return computed
  const { name } = computed
  if (rule.BindType !== 'role') return { outcome: 'bound', name }
  const role = roleByName(name)
  if (role === undefined) return { outcome: 'role_missing', name }
  if (hasNamespaces && linksGlobalManagement(role.Policies)) return { outcome: 'role_global', name }
  return { outcome: 'bound', name, role }
}

/**
 * The first matching namespace rule decides; otherwise the mapping of Kubernetes namespaces, if configured.
 * @returns `undefined` if the name cannot be computed or the namespace does not exist. A fallback could grant
 * rights in the wrong namespace.
 */
function namespaceOf(
  { method, namespaceRules }: Omit<PreparedLogin, 'rules'>,
  claims: MappedClaims,
  directory: Directory,
): string | undefined {
  for (const prepared of namespaceRules) {
    if ('problem' in prepared) return undefined
    if (!matchesClaims(prepared.selector, claims)) continue
    const computed = computeBindName(prepared.name, 'namespace', claims.texts)
    if (computed.outcome !== 'computed') return undefined
    return existing(computed.name, directory)
  }
  if (method.Type !== 'kubernetes' || !method.Config.MapNamespaces) return method.Namespace
  const { ConsulNamespacePrefix = '', ConsulNamespaceOverrides = {} } = method.Config
  const kubernetes = claims.texts.get('serviceaccount.namespace')
  if (kubernetes === undefined) return undefined
  const mapped = Object.hasOwn(ConsulNamespaceOverrides, kubernetes)
    ? ConsulNamespaceOverrides[kubernetes]
    : ConsulNamespacePrefix + kubernetes
  return existing(mapped ?? '', directory)
}

function existing(namespace: string, directory: Directory): string | undefined {
  return namespace === DEFAULT_NAMESPACE ? namespace : directory.namespace(namespace)?.Name
}
