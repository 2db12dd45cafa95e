import { type CreateRole, roleSchema } from '@latchkey/contract'
import { aDirectory, countingRandom } from '@latchkey/testkit/records/context'
import { aPolicy, aRole } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { roleHash } from '../hash.ts'
import { createRole, showRole, updateRole } from './role-rules.ts'

const policy = aPolicy({ Name: 'reader' })
const ops = aRole({ Name: 'Ops', Description: 'before', Policies: [{ ID: policy.ID }] })
const dev = aRole({ Name: 'dev' })
const directory = aDirectory({ policies: [policy], roles: [ops, dev] })

const create = (request: Partial<CreateRole>, namespace = 'default') =>
  createRole({ Name: 'new', ...request }, { random: countingRandom(), directory, namespace })
const update = (request: Partial<CreateRole>) =>
  updateRole(ops, { Name: ops.Name, ...request }, { directory })

describe('create', () => {
  test('resolves links, normalizes identities, and hashes the stored form', () => {
    const record = create({
      Policies: [{ Name: 'READER' }, { ID: policy.ID }],
      ServiceIdentities: [{ ServiceName: 'web', Datacenters: ['dc2', 'dc1'] }, { ServiceName: 'api' }],
      NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
    })
    expect(record).toEqual({
      ID: '01020304-0506-0708-090a-0b0c0d0e0f10',
      Name: 'new',
      Description: '',
      Policies: [{ ID: policy.ID }],
      ServiceIdentities: [{ ServiceName: 'api' }, { ServiceName: 'web', Datacenters: ['dc2', 'dc1'] }],
      NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
      Hash: roleHash(record),
      CreateIndex: 0,
      ModifyIndex: 0,
      Namespace: 'default',
    })
  })

  test.each(['a', 'A-_9', 'x'.repeat(256)])('the name %s passes', (Name) => {
    expect(create({ Name }).Name).toBe(Name)
  })

  test.each<readonly [string, Partial<CreateRole>, string, string]>([
    ['an ID', { ID: ops.ID }, 'field_invalid', 'ID'],
    ['no name', { Name: '' }, 'field_required', 'Name'],
    ['a dot in the name', { Name: 'a.b' }, 'name_invalid', 'Name'],
    ['a name of 257 characters', { Name: 'x'.repeat(257) }, 'name_invalid', 'Name'],
    ['a name in use, in another case (INJ-01)', { Name: 'OPS' }, 'name_in_use', 'Name'],
    ['an unknown policy', { Policies: [{ Name: 'nobody' }] }, 'link_unknown', 'Policies[0]'],
    [
      'a service identity without a name',
      { ServiceIdentities: [{ ServiceName: '' }] },
      'field_required',
      'ServiceIdentities[0].ServiceName',
    ],
    [
      'a node identity with a bad name',
      { NodeIdentities: [{ NodeName: 'N', Datacenter: 'dc1' }] },
      'name_invalid',
      'NodeIdentities[0].NodeName',
    ],
  ])('refused: %s', (_name, request, code, field) => {
    expect(refusalOf(() => create(request))).toMatchObject({ code, field })
  })

  test('policies of another namespace cannot be linked; names used in another namespace are free (spec 4.9)', () => {
    expect(refusalOf(() => create({ Policies: [{ ID: policy.ID }] }, 'team')).code).toBe('link_unknown')
    expect(create({ Name: 'Ops' }, 'team').Namespace).toBe('team')
  })
})

describe('update', () => {
  test('clears omitted fields', () => {
    const updated = update({})
    expect(updated).toEqual({ ...ops, Description: '', Policies: [], Hash: roleHash(updated) })
  })

  test('may rename, also to its own name in another case, and repeat its ID', () => {
    expect(update({ Name: 'OPS', ID: ops.ID.toUpperCase() })).toMatchObject({ Name: 'OPS', ID: ops.ID })
  })

  test.each<readonly [string, Partial<CreateRole>, string]>([
    ['the ID of another', { ID: dev.ID }, 'accessor_mismatch'],
    ['the name of another', { Name: 'DEV' }, 'name_in_use'],
    ['no name', { Name: '' }, 'field_required'],
  ])('refused: %s', (_name, request, code) => {
    expect(refusalOf(() => update(request)).code).toBe(code)
  })
})

test('shown: keys in the order of the contract, without empty lists and dangling links', () => {
  const full = {
    ...ops,
    ServiceIdentities: [{ ServiceName: 'web' }],
    NodeIdentities: [{ NodeName: 'n1', Datacenter: 'dc1' }],
  }
  expect(Object.keys(showRole(full, directory, true))).toEqual(Object.keys(roleSchema.shape))
  expect(Object.keys(showRole(ops, aDirectory(), false))).toEqual([
    'ID',
    'Name',
    'Description',
    'Hash',
    'CreateIndex',
    'ModifyIndex',
  ])
})
