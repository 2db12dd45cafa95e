/** Binding rules. Decisions: auth methods, selectors. */
import assert from 'node:assert/strict'
import type { BindingRule } from '@latchkey/contract'
import { type Case, test } from '../../case.ts'
import { aMethod, aRule } from './provider.ts'

const MISSING = ['404 not_found', 'Requested binding rule does not exist: ACL not found'] as const

export const bindingRuleCases: readonly Case[] = [
  test('binding-rules/record [D/binding-rules/record] a rule is created, read with its ID in any case, replaced by an update, which clears its Selector, listed by ID, deleted', async (ctx) => {
    const { method } = await aMethod(ctx)
    const fields = { Description: 'd', Selector: 'value.team == ops', BindName: 'web-${value.ref}' }
    const rule = await aRule(ctx, method, fields)
    assert.deepEqual(Object.keys(rule), [
      ...['ID', 'Description', 'AuthMethod', 'Selector', 'BindType', 'BindName', 'CreateIndex'],
      ...['ModifyIndex'],
    ])
    const path = `/acl/binding-rule/${rule.ID}`
    assert.deepEqual(await ctx.ok('GET', `/acl/binding-rule/${rule.ID.toUpperCase()}`), rule)
    const same = await ctx.ok<BindingRule>('PUT', `/acl/binding-rule/${rule.ID}`, { body: rule })
    assert.deepEqual({ ...same, ModifyIndex: 0 }, { ...rule, ModifyIndex: 0 })
    const body = { BindType: 'role', BindName: 'Ops' }
    const updated = await ctx.ok<BindingRule>('PUT', path, { body })
    const { ID, AuthMethod, CreateIndex, ModifyIndex } = updated
    assert.deepEqual(updated, {
      ID: rule.ID,
      Description: '',
      AuthMethod: method.Name,
      Selector: '',
      ...body,
      CreateIndex: rule.CreateIndex,
      ModifyIndex,
    })
    assert(ModifyIndex > CreateIndex && ID === rule.ID && AuthMethod === method.Name)
    assert.equal(await ctx.ok<boolean>('DELETE', path), true)
    await ctx.refuses('GET', path, {}, ...MISSING)
    await ctx.refuses('DELETE', path, {}, ...MISSING)
    await ctx.refuses('PUT', path, { body }, ...MISSING)
  }).needing({ edition: 'standard' }),
  test('binding-rules/list [D/binding-rules/list] rules are listed by ID; authmethod selects the rules of a method, in any case; an unknown method has none, an empty one filters nothing', async (ctx) => {
    const [{ method }, { method: other }] = [await aMethod(ctx), await aMethod(ctx)]
    const rules = [await aRule(ctx, method), await aRule(ctx, method), await aRule(ctx, method)]
    const foreign = await aRule(ctx, { Name: other.Name.toUpperCase() })
    assert.equal(foreign.AuthMethod, other.Name.toUpperCase())
    const list = (query: string) => ctx.ok<BindingRule[]>('GET', `/acl/binding-rules${query}`)
    const sorted = rules.toSorted((a, b) => (a.ID < b.ID ? -1 : 1))
    for (const name of [method.Name, method.Name.toUpperCase()]) {
      assert.deepEqual(await list(`?authmethod=${name}`), sorted)
    }
    assert.deepEqual(await list(`?authmethod=${other.Name}`), [foreign])
    assert.deepEqual(await list(`?authmethod=${ctx.unique('none')}`), [])
    const all = (await list('?authmethod=')).map(({ ID }) => ID)
    for (const { ID } of [...rules, foreign]) assert(all.includes(ID))
    assert.deepEqual(all, all.toSorted())
    await ctx.ok('DELETE', `/acl/auth-method/${method.Name}`)
    assert.deepEqual(await list(`?authmethod=${method.Name}`), [])
    for (const { ID } of rules) await ctx.refuses('GET', `/acl/binding-rule/${ID}`, {}, ...MISSING)
  }),
  test('binding-rules/checks [D/binding-rules/checks, D/status/rule-400] 400: a rule without a method, a type or a name, or with an invalid one; the error names the field (ATT-41)', async (ctx) => {
    const { method } = await aMethod(ctx)
    const rule = await aRule(ctx, method)
    const table: readonly (readonly [object, string, string, string?])[] = [
      [{ ID: crypto.randomUUID() }, 'accessor_mismatch', 'ID'],
      [{ AuthMethod: '' }, 'field_required', 'AuthMethod', 'no AuthMethod is set'],
      [{ AuthMethod: 'none' }, 'link_unknown', 'AuthMethod', 'cannot find auth method with name "none"'],
      [{ BindType: '' }, 'field_required', 'BindType', 'no BindType is set'],
      [{ BindType: 'Service' }, 'field_invalid', 'BindType', 'unknown BindType "Service"'],
      [{ BindType: 'policy' }, 'field_invalid', 'BindType'],
      [{ BindName: '' }, 'field_required', 'BindName', 'no BindName is set'],
      [{ BindName: 'Web' }, 'selector_invalid', 'BindName', 'Invalid Binding Rule: invalid BindName: '],
      [{ BindName: 'a b' }, 'selector_invalid', 'BindName'],
      [{ BindType: 'node', BindName: '-a' }, 'selector_invalid', 'BindName'],
      [{ BindType: 'role', BindName: 'a/b' }, 'selector_invalid', 'BindName'],
      [{ BindName: '${value.zzz}' }, 'selector_invalid', 'BindName', '1:1: unknown variable accessed'],
      [{ BindName: '${list.groups}' }, 'selector_invalid', 'BindName'],
      [{ BindName: 'a-${10/0}' }, 'selector_invalid', 'BindName', '1:3:'],
      [{ BindName: '${upper(value.team)}' }, 'selector_invalid', 'BindName'],
      [{ Foo: 1 }, 'field_unknown', 'Foo'],
      [{ Hash: '' }, 'field_unknown', 'Hash'],
    ]
    for (const [fields, code, field, text = ''] of table) {
      const body = { AuthMethod: method.Name, BindType: 'service', BindName: 'web', ...fields }
      const refusal = `400 ${code as 'field_invalid'} ${field}` as const
      try {
        await ctx.refuses('PUT', '/acl/binding-rule', { body }, refusal)
      } catch (error) {
        throw new assert.AssertionError({ message: `${JSON.stringify(fields)}: ${String(error)}` })
      }
      const reply = await ctx.call('PUT', '/acl/binding-rule', { body })
      assert(reply.text.includes(text), `${reply.text} does not say ${text}`)
    }
    const path = `/acl/binding-rule/${rule.ID}`
    const upper = { ...rule, AuthMethod: method.Name.toUpperCase() }
    await ctx.refuses('PUT', path, { body: upper }, '400 field_immutable AuthMethod')
    await ctx.refuses('PUT', path, { body: { ...rule, ID: crypto.randomUUID() } }, '400 accessor_mismatch ID')
    for (const verb of ['GET', 'DELETE']) {
      await ctx.refuses(verb, '/acl/binding-rule/x', {}, '400 id_invalid')
      const text = 'Missing binding rule ID'
      await ctx.refuses(verb, '/acl/binding-rule/', {}, '400 id_missing', text)
    }
    // An empty ID creates. Decisions: empty ids.
    const body = { AuthMethod: method.Name, BindType: 'service', BindName: 'web' }
    assert.notEqual((await ctx.ok('PUT', '/acl/binding-rule/', { body })).ID, rule.ID)
  }),
  test('binding-rules/selectors [D/selectors/language, D/status/rule-400] 400 selector_invalid, with line and column: a selector that cannot be parsed, or names a field that is not mapped', async (ctx) => {
    const { method } = await aMethod(ctx)
    const Bound = { AuthMethod: method.Name, BindType: 'service', BindName: 'web' }
    for (const [Selector, column] of [
      ['value.team =', undefined],
      ['value.team == ops and', undefined],
      ['(value.team == ops', undefined],
      ['value.team == ops or value.zzz == 1', 22],
      ['name == ops', 1],
      ['list.groups == ops', 1],
      ['value.team is empty', 1],
      ['value.team matches "("', 1],
      ["value.team == 'ops'", undefined],
    ] as const) {
      const body = { ...Bound, Selector }
      await ctx.refuses('PUT', '/acl/binding-rule', { body }, '400 selector_invalid Selector')
      const headers = { Accept: 'application/problem+json' }
      const reply = await ctx.call('PUT', '/acl/binding-rule', { body, headers })
      const problem = JSON.parse(reply.text)
      assert.match(problem.detail, /^invalid Binding Rule: Selector is invalid: /)
      assert.equal(problem.line, 1, Selector)
      assert.equal(typeof problem.column, 'number', Selector)
      if (column !== undefined) assert.equal(problem.column, column, Selector)
    }
    for (const Selector of [
      '',
      'value.team == ops',
      'value["team"] != "o\\tps" and not (ops in list.groups or list.groups is empty)',
      'value.team matches `^a+$` and team in value',
      '"x" not in value.ref and value.ref contains main',
    ]) {
      await ctx.ok('PUT', '/acl/binding-rule', { body: { ...Bound, Selector } })
    }
    const long = { ...Bound, Selector: `value.team == "${'x'.repeat(4_096)}"` }
    await ctx.refuses('PUT', '/acl/binding-rule', { body: long }, '400 field_too_long Selector')
  }),
  test('binding-rules/rights [5.2] 403 privilege_missing: rules are read with acl:read and changed with acl:write', async (ctx) => {
    const { method } = await aMethod(ctx)
    const rule = await aRule(ctx, method)
    const path = `/acl/binding-rule/${rule.ID}`
    await ctx.needsRights(['/acl/binding-rules', path], '/acl/binding-rule', path, rule)
  }),
]
