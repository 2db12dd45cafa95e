import type { Directory, LoginExplanation, Question, Rule } from '@latchkey/acl'
import {
  BLANK_TOKEN,
  EMPTY_RULE_SET,
  effectivePolicies,
  expandRoleLinks,
  explainLogin,
  explainRule,
  RightsComparison,
  readText,
} from '@latchkey/acl'
import { AuthorizerCache } from '../caller/authorizer-cache.ts'
import { type Context, type Handler, json } from '../handler.ts'
import { evaluationOf } from '../login/log-in.ts'
import { requireRecord } from '../records.ts'
import { showRight } from '../reply/show-right.ts'
import { STEPS_PER_TURN, StepCounter, stepsOf } from '../turns.ts'
import { AUTH_METHODS } from './auth-methods.ts'

/** Explains the result of a login with these claims. Evaluates them as a login does, and writes nothing. An extension. */
export const explainLoginHandler: Handler<'authMethods.explain'> = async (call) => {
  const { directory, service } = call
  const method = requireRecord(AUTH_METHODS, call, directory, call.params.Name)
  const evaluation = await evaluationOf(call, method, { claims: call.body.Claims, directory })
  const counter = new StepCounter(call)
  const rules: ReturnType<typeof explainRule>[] = []
  for (const rule of evaluation.rules) {
    await counter.count(STEPS_PER_TURN)
    rules.push(explainRule(rule, evaluation))
  }
  const explanation = explainLogin(evaluation, service.datacenter, rules)
  const { Values, Lists, Refused, Rules, Roles, ServiceIdentities, NodeIdentities } = explanation
  const rights = await rightsOf(call, explanation, { directory, counter })
  return json({
    Values,
    Lists: Object.fromEntries(Object.entries(Lists).map(([name, texts]) => [name, [...texts]])),
    ...(Refused === undefined ? {} : { Refused }),
    Rules: Rules.map((rule) => ({ ...rule })),
    Roles: expandRoleLinks(Roles, directory),
    ServiceIdentities: [...ServiceIdentities],
    NodeIdentities: [...NodeIdentities],
    Rights: rights.map(showRight),
  })
}

const RULES_BYTES_MAX = 16_777_216

async function rightsOf(
  { service }: Context,
  links: LoginExplanation,
  { directory, counter }: { readonly directory: Directory; readonly counter: StepCounter },
): Promise<readonly Question[]> {
  const { datacenter, defaultPolicy, profile } = service
  const options = { datacenter, defaultPolicy, legacyRules: profile.has('upgrade.legacyRules'), counter }
  const bare = { ...BLANK_TOKEN, Namespace: links.Namespace }
  const { Policies, Roles, ServiceIdentities, NodeIdentities } = links
  const token = { ...bare, Policies, Roles, ServiceIdentities, NodeIdentities }
  const rules: Rule[] = []
  for (const { text, dialect, unreadable } of effectivePolicies(token, directory, options)) {
    await counter.count(stepsOf(text.length))
    if (unreadable === undefined) rules.push(...readText(text, dialect).ruleSet.rules)
  }
  const comparison = new RightsComparison(EMPTY_RULE_SET, { rules })
  const authorizers = new AuthorizerCache(RULES_BYTES_MAX)
  const before = await authorizers.find(bare, directory, options)
  const after = await authorizers.find(token, directory, options)
  return comparison.compare(before.authorizer.policies, after.authorizer.policies).gains
}
