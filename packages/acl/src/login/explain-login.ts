/**
 * Explains to administrators what a login would give and why, with the same evaluation as a login. Decisions: login.
 */
import { printPath, printTerm } from '../filter/print-selector.ts'
import { attributeName, type Selector } from '../filter/selector.ts'
import { hasLinks, type TokenLinks } from '../links.ts'
import type { MappedClaims } from './attributes.ts'
import type { EvaluatedRule, LoginEvaluation } from './evaluate-login.ts'
import { linksOf } from './login-plan.ts'
import { LOGIN_REFUSALS } from './login-refusal.ts'
import { type CheckedSelector, matchesClaims } from './selector/check-selector.ts'
import { lintSelector } from './selector/lint-selector.ts'

/** The result of a login with the evaluated claims. It has links only if the login would succeed. */
export interface LoginExplanation extends TokenLinks {
  /** Single values, by their names in selectors, such as `value.team`. */
  readonly Values: Readonly<Record<string, string>>
  readonly Lists: Readonly<Record<string, readonly string[]>>
  readonly Refused?: string
  readonly Namespace: string
  readonly Rules: readonly RuleExplanation[]
}

export interface RuleExplanation {
  readonly ID: string
  readonly Selector: string
  readonly BindType: string
  readonly BindName: string
  readonly Applies: boolean
  readonly Name?: string
  readonly Reason?: string
}

/**
 * @param datacenter the datacenter of node identities.
 * @param rules the explanation of each rule of the evaluation.
 */
export function explainLogin(
  evaluation: LoginEvaluation,
  datacenter: string,
  rules: readonly RuleExplanation[],
): LoginExplanation {
  const { claims, namespace } = evaluation
  const links = linksOf(evaluation, datacenter)
  const refused = refusalOf(evaluation, links)
  return {
    Values: Object.fromEntries(claims.texts),
    Lists: Object.fromEntries(claims.lists),
    ...(refused === undefined ? {} : { Refused: refused }),
    Namespace: namespace,
    Rules: rules,
    ...(refused === undefined ? links : NO_LINKS),
  }
}

const NO_LINKS: TokenLinks = { Policies: [], Roles: [], ServiceIdentities: [], NodeIdentities: [] }

function refusalOf({ refusal, fault }: LoginEvaluation, links: TokenLinks): string | undefined {
  if (refusal !== undefined) {
    const reason = LOGIN_REFUSALS[refusal]
    return fault === undefined ? reason : `${reason}: ${fault.claim}`
  }
  return hasLinks(links) ? undefined : 'no binding rule applies'
}

export function explainRule(evaluated: EvaluatedRule, { claims }: LoginEvaluation): RuleExplanation {
  const { rule, result } = evaluated
  const { ID, Selector, BindType, BindName } = rule
  const Reason = reasonOf(evaluated, claims)
  return {
    ...{ ID, Selector, BindType, BindName, Applies: Reason === undefined },
    ...('name' in result ? { Name: result.name } : {}),
    ...(Reason === undefined ? {} : { Reason }),
  }
}

function reasonOf({ rule, prepared, result }: EvaluatedRule, claims: MappedClaims): string | undefined {
  switch (result.outcome) {
    case 'bound':
      return undefined
    case 'role_missing':
      return `there is no role ${result.name}`
    case 'role_global':
      return `the role ${result.name} has global management, which no login gives`
    case 'unfit':
      return `it no longer fits the method: ${result.problem}`
    case 'claim_missing':
      return `the login has no ${result.attributes.join(', ')}`
    case 'name_invalid':
      return `the computed name is not the name of a ${rule.BindType}`
    case 'unmatched': {
      const selector = 'selector' in prepared ? prepared.selector : undefined
      if (selector === undefined) return 'the selector does not match'
      const [finding] = lintSelector(selector)
      if (finding?.code === 'never_matches') return finding.message
      const causes = causesOf(selector, selector.selector, { claims, is: false })
      return `the selector does not match: ${causes.join('; ')}`
    }
  }
}

function causesOf(
  checked: CheckedSelector,
  selector: Selector,
  { claims, is }: { readonly claims: MappedClaims; readonly is: boolean },
): readonly string[] {
  switch (selector.kind) {
    case 'term': {
      const { path } = selector
      const name = attributeName(path)
      const isMissing = path.length === 2 && !claims.texts.has(name) && !claims.lists.has(name)
      const why = isMissing ? `: the login has no ${printPath(path)}` : ''
      return [`${printTerm(selector)} is ${is}${why}`]
    }
    case 'not':
      return causesOf(checked, selector.operand, { claims, is: !is })
    default:
      return selector.operands
        .filter((operand) => matchesClaims({ ...checked, selector: operand }, claims) === is)
        .flatMap((operand) => causesOf(checked, operand, { claims, is }))
  }
}
