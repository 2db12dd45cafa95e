// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${` is part of the language under test.
import { aBindingRule, aMethod, anId } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { expect, test } from 'vitest'
import { SeededRandom } from '../../seeded-random.ts'
import {
  type BindingRuleContext,
  type BindingRuleRequest,
  createBindingRule,
  updateBindingRule,
} from './binding-rule-rules.ts'

const METHOD = aMethod({ Name: 'Sso' })
const context: BindingRuleContext = {
  methodByName: (name) => (name.toLowerCase() === 'sso' ? METHOD : undefined),
  bindTypes: ['service', 'node', 'role'],
}
const BODY = { AuthMethod: 'sso', BindType: 'service', BindName: 'web-${value.team}' }

function create(request: BindingRuleRequest, bindTypes = context.bindTypes) {
  const random = new SeededRandom(1)
  return createBindingRule({ ...BODY, ...request }, { ...context, bindTypes, random, namespace: 'team' })
}

test('a new rule has an ID that the service made, and the name of its method as it was typed', () => {
  expect(create({ AuthMethod: 'SSO', Selector: 'value.team == x', Description: 'd' })).toEqual({
    ID: expect.stringMatching(/^[0-9a-f-]{36}$/),
    Description: 'd',
    AuthMethod: 'SSO',
    Selector: 'value.team == x',
    BindType: 'service',
    BindName: 'web-${value.team}',
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: 'team',
  })
})

test.each<readonly [string, BindingRuleRequest, string, string]>([
  ['an ID', { ID: anId(1) }, 'accessor_mismatch', 'do not match'],
  ['no method', { AuthMethod: '' }, 'field_required', 'no AuthMethod is set'],
  [
    'an unknown method',
    { AuthMethod: 'x', Selector: '(' },
    'link_unknown',
    'cannot find auth method with name "x"',
  ],
  ['a bad selector', { Selector: 'value.x == y', BindType: '' }, 'selector_invalid', 'Selector is invalid'],
  ['no type', { BindType: '', BindName: '' }, 'field_required', 'no BindType is set'],
  ['no name', { BindType: 'x', BindName: '' }, 'field_required', 'no BindName is set'],
  ['an unknown type', { BindType: 'Service', BindName: '$' }, 'field_invalid', 'unknown BindType "Service"'],
  ['a bad name', { BindName: '$' }, 'selector_invalid', 'invalid BindName'],
  ['an attribute that is not mapped', { BindName: '${value.x}' }, 'selector_invalid', 'value.x'],
])('%s is refused', (_, request, code, words) => {
  const refusal = refusalOf(() => create(request))
  expect(refusal.code).toBe(code)
  expect(refusal.message).toContain(words)
})

test('a bind type that the service version does not know is unknown', () => {
  expect(refusalOf(() => create({ BindType: 'node' }, ['service', 'role'])).code).toBe('field_invalid')
})

test('the method of a rule cannot be changed, not even its case, and its ID must be that of the path', () => {
  const existing = aBindingRule({ AuthMethod: 'sso' })
  const update = (request: BindingRuleRequest) => () =>
    updateBindingRule(existing, { ...BODY, ...request }, context)
  expect(refusalOf(update({ AuthMethod: 'Sso' })).code).toBe('field_immutable')
  expect(refusalOf(update({ ID: anId(1) })).code).toBe('accessor_mismatch')
  expect(update({ ID: existing.ID.toUpperCase() })).not.toThrow()
})
