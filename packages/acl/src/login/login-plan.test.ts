// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${` is part of the language under test.
import { evaluateLogin } from '@latchkey/testkit/login/evaluate-login'
import { aBindingRule, aMethod, aNamespace, anId, aRole } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { GLOBAL_MANAGEMENT_POLICY_ID } from '../builtin.ts'
import { tokenHash } from '../hash.ts'
import { Directory, EMPTY_DIRECTORY } from '../records/directory.ts'
import type { AuthMethodRecord, BindingRuleRecord } from '../records/login-records.ts'
import { SeededRandom } from '../seeded-random.ts'
import { explainLogin, explainRule } from './explain-login.ts'
import { type LoginContext, linksOf, loginToken, planLogin } from './login-plan.ts'
import { claimsOf } from './verifier.ts'

const NOW = Date.UTC(2026, 0, 31, 12)
const context: LoginContext = { now: NOW, identity: 'anna', datacenter: 'dc1' }
const OPS = aRole({ Name: 'Ops' })
const TEAM_OPS = aRole({ Name: 'ops', Namespace: 'Team' })
const directory = new Directory(
  {
    ...EMPTY_DIRECTORY.content(),
    roles: [OPS, TEAM_OPS],
    namespaces: ['Team', 'red', 'k8s-shop', 'k8s-red'].map((Name) => aNamespace({ Name })),
  },
  1,
)

type Rule = Partial<BindingRuleRecord>

function evaluate(rules: readonly Rule[], claims: Readonly<Record<string, unknown>>, method = aMethod()) {
  const records = rules.map((rule) => aBindingRule(rule))
  return evaluateLogin(method, records, claims, { directory })
}

function plan(rules: readonly Rule[], claims: Readonly<Record<string, unknown>>, method?: AuthMethodRecord) {
  return planLogin(evaluate(rules, claims, method), context)
}

test('links of all matching rules are merged and sorted as when a token is created', () => {
  const rules: Rule[] = [
    { ID: anId(9), BindName: 'web' },
    { ID: anId(3), BindName: 'web', Selector: '"ops" in list.groups' },
    { ID: anId(2), BindName: 'api-${value.team}' },
    { ID: anId(5), BindType: 'node', BindName: 'n1' },
    { ID: anId(4), BindType: 'role', BindName: 'OPS' },
    { ID: anId(6), BindType: 'role', BindName: '${value.team}', Selector: 'value.team == Ops' },
    { ID: anId(7), BindType: 'role', BindName: 'no-such-role' },
    { ID: anId(8), BindName: 'other', Selector: 'value.team == other' },
  ]
  expect(plan(rules, { team: 'Ops', groups: ['ops'] })).toMatchObject({
    Policies: [],
    Roles: [{ ID: OPS.ID }],
    ServiceIdentities: [{ ServiceName: 'api-ops' }, { ServiceName: 'web' }],
    NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
    ruleIds: [2, 3, 4, 5, 6, 9].map(anId),
  })
})

test('the record has ids, the links and the hash of its content', () => {
  const planned = planLogin(evaluate([{}], {}), { ...context, meta: { b: '<', a: '' } })
  const token = loginToken(planned, new SeededRandom(1))
  expect(token).toMatchObject({
    Description: 'token created via login: {"a":"","b":"\\u003c"}',
    ServiceIdentities: [{ ServiceName: 'web' }],
    Hash: tokenHash(token),
    Type: '',
  })
  expect(token.AccessorID).not.toBe(token.SecretID)
  expect(token).not.toHaveProperty('ruleIds')
})

describe('refusals', () => {
  test.each<readonly [string, readonly Rule[]]>([
    ['ATT-34: a name needs a claim that is missing', [{ BindName: 'svc${value.other}' }]],
    ['a rule names what the method no longer maps', [{ Selector: 'value.gone != x' }]],
    ['a bind name names what the method no longer maps', [{ BindName: 'web-${value.gone}' }]],
  ])('403 login_unbound: %s', (_, rules) => {
    const method = aMethod({ Config: { ClaimMappings: { team: 'team', other: 'other' } } })
    expect(refusalOf(() => plan(rules, { team: 'red' }, method)).code).toBe('login_unbound')
  })

  test.each(['service', 'node', 'role'] as const)(
    '403 login_refused: one computed %s name that is invalid refuses the whole login, without the value',
    (BindType) => {
      const rules: Rule[] = [{ BindName: 'web' }, { BindType, BindName: 'x-${value.team}' }]
      expect(refusalOf(() => plan(rules, { team: 'a b' }))).toMatchObject({
        code: 'login_refused',
        message: `Permission denied: computed "${BindType}" bind name for bind target is invalid`,
      })
    },
  )

  test('the name of a rule that does not match is not computed', () => {
    const rules: Rule[] = [{}, { Selector: 'value.team == x', BindName: 'x-${value.team}' }]
    expect(() => plan(rules, { team: 'a b' })).not.toThrow()
  })

  test('the bounds of Meta are checked before anything else', () => {
    const tooLong = { ...context, meta: { k: 'a'.repeat(3_000) } }
    expect(refusalOf(() => planLogin(evaluate([], {}), tooLong)).code).toBe('field_too_long')
  })
})

describe('namespaces', () => {
  const method = aMethod({
    NamespaceRules: [
      { Selector: '"lead" in list.groups', BindNamespace: 'Team' },
      { Selector: 'value.team != none', BindNamespace: '${value.team}' },
    ],
  })

  test('the first rule that matches decides, and roles are those of its namespace', () => {
    const rules: Rule[] = [{ BindType: 'role', BindName: 'ops' }]
    expect(plan(rules, { groups: ['lead'], team: 'red' }, method)).toMatchObject({
      Namespace: 'Team',
      AuthMethodNamespace: 'default',
      Roles: [{ ID: TEAM_OPS.ID }],
    })
    expect(refusalOf(() => plan(rules, { team: 'red' }, method)).code).toBe('login_unbound')
  })

  test.each([
    [true, 'role_global', []],
    [false, 'bound', ['global']],
  ])(
    'with namespaces %j, a rule for a role with global management is %s',
    (hasNamespaces, outcome, names) => {
      const GLOBAL = aRole({ Name: 'global', Policies: [{ ID: GLOBAL_MANAGEMENT_POLICY_ID }] })
      const roles = new Directory({ ...EMPTY_DIRECTORY.content(), roles: [GLOBAL] }, 1)
      const rules = [aBindingRule({ BindType: 'role', BindName: 'global' })]
      const evaluation = evaluateLogin(aMethod(), rules, {}, { directory: roles, hasNamespaces })
      expect(evaluation.rules.map(({ result }) => result.outcome)).toEqual([outcome])
      const given = linksOf(evaluation, 'dc1').Roles.map(({ ID }) => roles.role(ID)?.Name)
      expect(given).toEqual(names)
    },
  )

  test.each([
    ['shop', 'k8s-shop'],
    ['red', 'k8s-red'],
    ['green', 'red'],
    ['blue', 'default'],
    ['constructor', undefined],
    ['unknown', undefined],
    [undefined, undefined],
  ])('a method that maps namespaces puts a service account of %j into %j', (namespace, expected) => {
    const { Config: _, ...fields } = aMethod()
    const mapping = {
      MapNamespaces: true,
      ConsulNamespacePrefix: 'k8s-',
      ConsulNamespaceOverrides: { green: 'red', blue: 'default' },
    }
    const kubernetes: AuthMethodRecord = {
      ...fields,
      Type: 'kubernetes',
      Config: { Host: 'api.example', CACert: 'pem', ServiceAccountJWT: 'a.b.c', ...mapping },
    }
    const asked = () => plan([{}], { name: 'web', namespace }, kubernetes).Namespace
    if (expected === undefined) expect(refusalOf(asked).code).toBe('login_refused')
    else expect(asked()).toBe(expected)
    const NamespaceRules = [{ Selector: 'serviceaccount.name == web', BindNamespace: 'Team' }]
    expect(plan([{}], { name: 'web', namespace }, { ...kubernetes, NamespaceRules }).Namespace).toBe('Team')
  })

  test.each([[{}], [{ team: '' }], [{ team: 'é' }], [{ team: 'unknown' }]])(
    '403 login_refused: the claims %j give no namespace that exists, and the method’s own is no substitute',
    (claims) => {
      expect(refusalOf(() => plan([{}], claims, method))).toMatchObject({
        code: 'login_refused',
        message: 'Permission denied: the namespace of the login could not be computed',
      })
    },
  )
})

describe('explanations', () => {
  const explain = (
    rules: readonly Rule[],
    claims: Readonly<Record<string, unknown>>,
    method?: AuthMethodRecord,
  ) => {
    const evaluation = evaluate(rules, claims, method)
    const explained = evaluation.rules.map((rule) => explainRule(rule, evaluation))
    return explainLogin(evaluation, 'dc1', explained)
  }

  test('each rule says what it gives, or why it gives nothing', () => {
    const method = aMethod({
      Config: { ClaimMappings: { team: 'team', org: 'org' }, ListClaimMappings: { groups: 'groups' } },
    })
    const rules: Rule[] = [
      { ID: anId(1), BindName: 'web-${value.team}' },
      { ID: anId(2), Selector: 'value.team == ops and (value.org == x or not "a" in list.groups)' },
      { ID: anId(3), BindName: 'web-${value.org}' },
      { ID: anId(4), BindType: 'role', BindName: 'gone' },
      { ID: anId(5), Selector: 'value.gone == x' },
      { ID: anId(6), Selector: 'value.team == a and value.team == b' },
    ]
    const { Rules, ...rest } = explain(rules, { team: 'red', groups: ['a'] }, method)
    expect(rest).toEqual({
      Values: { 'value.team': 'red' },
      Lists: { 'list.groups': ['a'] },
      Namespace: 'default',
      Policies: [],
      Roles: [],
      ServiceIdentities: [{ ServiceName: 'web-red' }],
      NodeIdentities: [],
    })
    expect(Rules.map(({ ID, Applies, Name, Reason }) => ({ ID, Applies, Name, Reason }))).toEqual([
      { ID: anId(1), Applies: true, Name: 'web-red' },
      {
        ID: anId(2),
        Applies: false,
        Reason:
          'the selector does not match: value.team == "ops" is false; value.org == "x" is false: the login has no value.org; "a" in list.groups is true',
      },
      { ID: anId(3), Applies: false, Reason: 'the login has no value.org' },
      { ID: anId(4), Applies: false, Name: 'gone', Reason: 'there is no role gone' },
      {
        ID: anId(5),
        Applies: false,
        Reason: expect.stringMatching(
          /^it no longer fits the method: .*value\.gone; it maps list\.groups, value\.org/,
        ),
      },
      {
        ID: anId(6),
        Applies: false,
        Reason: 'the selector never matches: value.team == "a" rules out value.team == "b"',
      },
    ])
  })
})

test('a verification that failed is a refusal of the login or of the provider', () => {
  expect(claimsOf({ outcome: 'verified', claims: { a: 1 } }, 'm')).toEqual({ a: 1 })
  expect(refusalOf(() => claimsOf({ outcome: 'refused', reason: 'token_expired' }, 'm'))).toMatchObject({
    code: 'login_refused',
    message: 'Permission denied: token is expired (exp)',
  })
  expect(refusalOf(() => claimsOf({ outcome: 'provider_unavailable' }, 'Sso'))).toMatchObject({
    code: 'provider_unavailable',
    message: 'Auth method "Sso": its provider cannot be reached',
  })
})
