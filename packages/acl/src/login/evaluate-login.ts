/**
 * Evaluates a login: every binding rule of the method against the claims. The plan and the explanation use the same
 * evaluation, so an explanation cannot differ from the login. Decisions: login.
 */
import { AclError } from '@latchkey/contract'
import { linksGlobalManagement } from '../global-management.ts'
import type { Directory } from '../records/directory.ts'
import type { AuthMethodRecord, BindingRuleRecord, BindType } from '../records/login-records.ts'
import { DEFAULT_NAMESPACE, type RoleRecord } from '../records/records.ts'
import { Pace, type Sliced, stepsOf } from '../turns.ts'
import { type Attributes, attributesOf, type MappedClaims } from './attributes.ts'
import { type BindName, checkBindName, computeBindName } from './bind-name.ts'
import { type ClaimFault, mapClaims } from './claims.ts'
import type { LoginRefusal } from './login-refusal.ts'
import { type CheckedSelector, checkSelectorInSlices } from './selector/check-selector.ts'
import { matchesClaims } from './selector/evaluate-selector.ts'
import type { Claims } from './verifier.ts'

/** A method with its rules, parsed once for many logins. */
export interface PreparedLogin {
  readonly method: AuthMethodRecord
  /** In order of ID. */
  readonly rules: readonly PreparedRule[]
  readonly namespaceRules: readonly Prepared[]
}

interface PreparedRule {
  readonly rule: BindingRuleRecord
  readonly prepared: Prepared
}

/**
 * A parsed selector and name, or why they do not match the method, which may have changed after the rule was written.
 */
type Prepared =
  | { readonly selector: CheckedSelector | undefined; readonly name: BindName }
  | { readonly problem: string }

/** @param rules the rules of the method, in any order. */
export function* prepareLogin(
  method: AuthMethodRecord,
  rules: readonly BindingRuleRecord[],
): Sliced<PreparedLogin> {
  const attributes = attributesOf(method)
  const prepared: PreparedRule[] = []
  for (const rule of rules.toSorted((a, b) => (a.ID < b.ID ? -1 : 1))) {
    const { Selector, BindName, BindType } = rule
    const options = { name: BindName, type: BindType, attributes }
    prepared.push({ rule, prepared: yield* prepare(Selector, options) })
  }
  const namespaceRules: Prepared[] = []
  for (const { Selector, BindNamespace } of method.NamespaceRules) {
    namespaceRules.push(yield* prepare(Selector, { name: BindNamespace, type: 'namespace', attributes }))
  }
  return { method, rules: prepared, namespaceRules }
}

function* prepare(
  selector: string,
  { name, type, attributes }: { name: string; type: BindType | 'namespace'; attributes: Attributes },
): Sliced<Prepared> {
  try {
    return {
      selector: yield* checkSelectorInSlices(selector, attributes),
      name: checkBindName(name, type, { attributes }),
    }
  } catch (error) {
    if (error instanceof AclError) return { problem: error.message }
    throw error
  }
}

/** The result of one rule, or why it does not apply. */
type RuleOutcome =
  | { readonly outcome: 'bound'; readonly name: string; readonly role?: RoleRecord }
  | { readonly outcome: 'unfit'; readonly problem: string }
  | { readonly outcome: 'unmatched' }
  | { readonly outcome: 'claim_missing'; readonly attributes: readonly string[] }
  | { readonly outcome: 'name_invalid' }
  | { readonly outcome: 'role_missing'; readonly name: string }
  /** The role has global management, which a login never grants in an edition with namespaces. */
  | { readonly outcome: 'role_global'; readonly name: string }

export interface EvaluatedRule {
  readonly rule: BindingRuleRecord
  readonly prepared: Prepared
  readonly result: RuleOutcome
}

export interface LoginEvaluation {
  readonly method: AuthMethodRecord
  /** The mapped claims; empty if any claim cannot be mapped. */
  readonly claims: MappedClaims
  readonly fault: ClaimFault | undefined
  /** The namespace of the token; the method's own if no namespace rule matches. */
  readonly namespace: string
  /** Why the login is refused, even if rules apply; `undefined` if it is accepted. */
  readonly refusal: LoginRefusal | undefined
  readonly rules: readonly EvaluatedRule[]
}

const NO_CLAIMS: MappedClaims = { texts: new Map(), lists: new Map() }

/**
 * @param claims verified claims, or sample claims from an administrator.
 * @param hasNamespaces whether the edition has namespaces, which limit rights. Decisions: rights across namespaces.
 */
export function* evaluateLogin(
  login: PreparedLogin,
  claims: Claims,
  directory: Directory,
  hasNamespaces = false,
): Sliced<LoginEvaluation> {
  const { method } = login
  const mapping = mapClaims(method, claims)
  if ('fault' in mapping) {
    const { fault } = mapping
    const none = { claims: NO_CLAIMS, namespace: method.Namespace, rules: [] }
    return { ...none, method, fault, refusal: fault.reason }
  }
  const { mapped } = mapping
  const namespace = namespaceOf(login, mapped, directory)
  const context: RuleContext = {
    claims: mapped,
    roleByName: (name) => directory.roleByName(namespace ?? method.Namespace, name),
    hasNamespaces,
  }
  const rules: EvaluatedRule[] = []
  const pace = new Pace()
  const steps = stepsPerRule(mapped)
  for (const { rule, prepared } of login.rules) {
    if (pace.isDue(steps * weightOf(prepared))) yield
    rules.push({ rule, prepared, result: resultOf(rule, prepared, context) })
  }
  const invalid = rules.find(({ result }) => result.outcome === 'name_invalid')?.rule
  const refusal =
    namespace === undefined ? 'namespace_uncomputed' : invalid && (`bind_name_${invalid.BindType}` as const)
  return {
    method,
    claims: mapped,
    fault: undefined,
    namespace: namespace ?? method.Namespace,
    refusal,
    rules,
  }
}

/** Cost of matching a regular expression against one claim, even a short one. */
const STEPS_PER_PATTERN = 16

function weightOf(prepared: Prepared): number {
  const patterns = 'selector' in prepared ? (prepared.selector?.patternCount ?? 0) : 0
  return 1 + STEPS_PER_PATTERN * patterns
}

/** Cost of one rule: its selector may read the whole longest claim. */
function stepsPerRule({ texts, lists }: MappedClaims): number {
  const lengths = [...texts.values(), ...lists.values()].map(({ length }) => length)
  return stepsOf(Math.max(0, ...lengths))
}

interface RuleContext {
  readonly claims: MappedClaims
  readonly roleByName: (name: string) => RoleRecord | undefined
  readonly hasNamespaces: boolean
}

function resultOf(
  rule: BindingRuleRecord,
  prepared: Prepared,
  { claims, roleByName, hasNamespaces }: RuleContext,
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
 *
 * @returns `undefined` if the name cannot be computed or the namespace does not exist. A fallback could grant rights in
 * the wrong namespace.
 */
function namespaceOf(
  { method, namespaceRules }: PreparedLogin,
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
