import { aDirectory } from '@latchkey/testkit/records/context'
import { aPolicy, aRole } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { expandPolicyLinks, expandRoleLinks, resolvePolicyLinks, resolveRoleLinks } from './links.ts'

const reader = aPolicy({ Name: 'Reader', ID: 'abcdef00-0000-4000-8000-000000000001' })
const writer = aPolicy({ Name: 'writer' })
const elsewhere = aPolicy({ Name: 'reader', Namespace: 'team' })
const ops = aRole({ Name: 'ops' })
const directory = aDirectory({ policies: [reader, writer, elsewhere], roles: [ops] })

const resolve = (links: Parameters<typeof resolvePolicyLinks>[0], namespace = 'default') =>
  resolvePolicyLinks(links, namespace, directory)

describe('resolving (spec 2.2, 2.3)', () => {
  test('undefined and an empty list give an empty list', () => {
    expect(resolve(undefined)).toEqual([])
    expect(resolve([])).toEqual([])
  })

  test("by ID or name, in any case; the stored link has the policy's own spelling of the ID", () => {
    const stored = [{ ID: reader.ID }]
    expect(resolve([{ ID: reader.ID }])).toEqual(stored)
    expect(resolve([{ ID: reader.ID.toUpperCase() }])).toEqual(stored)
    expect(resolve([{ Name: 'reader' }])).toEqual(stored)
    expect(resolve([{ Name: 'READER' }])).toEqual(stored)
  })

  test('the ID wins over a name that is stale, wrong or unknown', () => {
    expect(
      resolve([
        { ID: writer.ID, Name: 'Reader' },
        { ID: reader.ID, Name: 'nobody' },
      ]),
    ).toEqual([{ ID: writer.ID }, { ID: reader.ID }])
  })

  test('duplicates collapse to their first position, however they are spelled', () => {
    const links = [{ Name: 'writer' }, { Name: 'reader' }, { ID: writer.ID }, { ID: reader.ID.toUpperCase() }]
    expect(resolve(links)).toEqual([{ ID: writer.ID }, { ID: reader.ID }])
  })

  test.each([
    ['an unknown name', [{ Name: 'Reader' }, { Name: 'nobody' }], 'Policies[1]', 'with name "nobody"'],
    ['an unknown ID', [{ ID: ops.ID }], 'Policies[0]', `with ID "${ops.ID}"`],
    ['an ID that is not a UUID', [{ ID: 'nope' }], 'Policies[0]', 'with ID "nope"'],
    ['a prefix of an ID', [{ ID: reader.ID.slice(0, -1) }], 'Policies[0]', 'with ID'],
    ['neither ID nor name', [{}], 'Policies[0]', 'with name ""'],
    ['both empty', [{ ID: '', Name: '' }], 'Policies[0]', 'with name ""'],
  ])('link_unknown: %s', (_name, links, field, said) => {
    const refusal = refusalOf(() => resolve(links))
    expect(refusal).toMatchObject({ code: 'link_unknown', field })
    expect(refusal.message).toContain(said)
  })

  test('links stay in their namespace, by ID as by name (AUTHZ-01, CVE-2021-41805)', () => {
    expect(resolve([{ Name: 'reader' }], 'team')).toEqual([{ ID: elsewhere.ID }])
    expect(refusalOf(() => resolve([{ ID: elsewhere.ID }])).code).toBe('link_unknown')
    expect(refusalOf(() => resolve([{ ID: reader.ID }], 'team')).code).toBe('link_unknown')
    expect(refusalOf(() => resolve([{ Name: 'writer' }], 'team')).code).toBe('link_unknown')
  })

  test('role links resolve alike, with their own messages', () => {
    expect(resolveRoleLinks([{ Name: 'OPS' }, { ID: ops.ID }], 'default', directory)).toEqual([
      { ID: ops.ID },
    ])
    const refusal = refusalOf(() => resolveRoleLinks([{ ID: reader.ID }], 'default', directory))
    expect(refusal).toMatchObject({ code: 'link_unknown', field: 'Roles[0]' })
    expect(refusal.message).toBe(`No such ACL role with ID "${reader.ID}"`)
  })
})

describe('expansion (decisions: record shapes)', () => {
  test('shows ID and current name, also after a rename; omits dangling links', () => {
    const links = [{ ID: writer.ID }, { ID: 'gone' }, { ID: reader.ID }]
    const renamed = aDirectory({ policies: [{ ...reader, Name: 'viewer' }, writer] })
    expect(expandPolicyLinks(links, renamed)).toEqual([
      { ID: writer.ID, Name: 'writer' },
      { ID: reader.ID, Name: 'viewer' },
    ])
    expect(expandRoleLinks([{ ID: ops.ID }, { ID: 'gone' }], directory)).toEqual([
      { ID: ops.ID, Name: 'ops' },
    ])
  })
})
