import { Directory, EMPTY_CONTENT, type PolicyRecord, type TokenRecord } from '@latchkey/acl'
import { aNamespace, aPolicy, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import { describe, expect, test } from 'vitest'
import { changesFor, type Stored } from './changes-for.ts'
import type { Received } from './received.ts'

const NONE: Received = {
  namespaces: [],
  policies: [],
  roles: [],
  tokens: [],
  unusable: [],
  deleted: { namespaces: [], policies: [], roles: [], tokens: [] },
}

function deleted(keys: Partial<Received['deleted']>): Received {
  return { ...NONE, deleted: { ...NONE.deleted, ...keys } }
}

function aStored(content: Partial<typeof EMPTY_CONTENT>, rest: Partial<Stored> = {}): Stored {
  const directory = new Directory({ ...EMPTY_CONTENT, ...content }, 1)
  return { directory, tokens: [], ownNamespaces: new Set(), ...rest }
}

/** Changes as `put tokens <key>@<expect>`. */
function told(received: Received, stored: Stored, isSlice = false): readonly string[] {
  return changesFor(received, stored, isSlice).changes.map((change) => {
    if (change.op === 'delete-tree' || !('record' in change)) return change.op
    const { record } = change
    const key =
      'SecretID' in record
        ? record.SecretID
        : 'ID' in record
          ? record.ID
          : 'Name' in record
            ? record.Name
            : ''
    return `${change.op} ${change.table} ${key}@${change.expect}`
  })
}

const stored = (token: TokenRecord): TokenRecord => ({ ...token, CreateIndex: 3, ModifyIndex: 4 })

describe('tokens', () => {
  const token = aToken()

  test('are created, replaced, left alone if equal, and deleted, each on condition of the stored version', () => {
    expect(told({ ...NONE, tokens: [token] }, aStored({}))).toEqual([`put tokens ${token.SecretID}@0`])
    const held = aStored({}, { tokens: [stored(token)] })
    expect(told({ ...NONE, tokens: [{ ...token, ModifyIndex: 99 }] }, held)).toEqual([])
    const changed = { ...token, Description: 'other' }
    expect(told({ ...NONE, tokens: [changed] }, held)).toEqual([`put tokens ${token.SecretID}@4`])
    expect(told(deleted({ tokens: [token.AccessorID] }), held)).toEqual([`delete tokens ${token.SecretID}@4`])
    expect(told(deleted({ tokens: [aToken().AccessorID] }), held)).toEqual([])
  })

  test('deleted and recreated with one of the IDs replace their predecessors', () => {
    const held = aStored({}, { tokens: [stored(token)] })
    for (const again of [aToken({ AccessorID: token.AccessorID }), aToken({ SecretID: token.SecretID })]) {
      expect(told({ ...NONE, tokens: [again] }, held)).toEqual([
        `delete tokens ${token.SecretID}@4`,
        `put tokens ${again.SecretID}@0`,
      ])
    }
  })

  test('made by a method of this datacenter keep their link to it, but a token with other IDs does not', () => {
    const made = stored(aToken({ AuthMethod: 'ci', AuthMethodNamespace: 'default', AuthMethodGeneration: 7 }))
    const changed = { ...made, AuthMethodGeneration: 0, Description: 'other' }
    const again = aToken({ ...changed, SecretID: aToken().SecretID })
    const generations = [changed, again].map((arriving) => {
      const { changes } = changesFor({ ...NONE, tokens: [arriving] }, aStored({}, { tokens: [made] }), false)
      return changes.flatMap((change) =>
        change.table === 'tokens' && change.op === 'put' ? [change.record.AuthMethodGeneration] : [],
      )
    })
    expect(generations).toEqual([[7], [0]])
  })

  test('REP-16: of this datacenter are never changed: a global token with the same ID is skipped', () => {
    const own = stored(aToken({ Local: true }))
    const held = aStored({}, { tokens: [own] })
    expect(told(deleted({ tokens: [own.AccessorID] }), held)).toEqual([])
    for (const ids of [
      { AccessorID: own.AccessorID },
      { SecretID: own.SecretID },
      { SecretID: own.SecretID.toUpperCase() },
      { AccessorID: own.SecretID },
    ]) {
      const arriving = aToken(ids)
      const other = aToken()
      const { changes, skipped } = changesFor({ ...NONE, tokens: [arriving, other] }, held, false)
      expect(changes).toMatchObject([{ record: { AccessorID: other.AccessorID } }])
      expect(skipped).toMatchObject([{ accessorId: arriving.AccessorID, heldBy: own.AccessorID }])
    }
  })

  test('that are unusable give no rights, not even those of an earlier version', () => {
    const held = aStored({}, { tokens: [stored(token)] })
    const unusable = [{ accessorId: token.AccessorID.toUpperCase(), reason: 'hidden' }]
    expect(told({ ...NONE, unusable }, held)).toEqual([`delete tokens ${token.SecretID}@4`])
  })

  test('without an accessor that the primary does not have are deleted by secret', () => {
    const stray = stored(aToken({ AccessorID: '' }))
    expect(told({ ...NONE, strays: [stray] }, aStored({}, { tokens: [stray] }))).toEqual([
      `delete tokens ${stray.SecretID}@4`,
    ])
  })
})

describe('policies and roles', () => {
  const policy: PolicyRecord = { ...aPolicy(), ModifyIndex: 5 }
  const role = { ...aRole(), ModifyIndex: 6 }

  test('are put before the records that link them, and deleted after them', () => {
    const arriving = {
      ...deleted({ policies: [policy.ID], roles: [role.ID] }),
      policies: [aPolicy({ ID: 'p' })],
      roles: [aRole({ ID: 'r' })],
      tokens: [aToken({ SecretID: 's' })],
      namespaces: [aNamespace({ Name: 'n' })],
    }
    expect(told(arriving, aStored({ policies: [policy], roles: [role] }))).toEqual([
      ...[`delete roles ${role.ID}@6`, `delete policies ${policy.ID}@5`, 'put namespaces n@0'],
      ...['put policies p@0', 'put roles r@0', 'put tokens s@0'],
    ])
  })

  test('that swap names keep their IDs', () => {
    const other = { ...aPolicy(), ModifyIndex: 7 }
    const swapped = [
      { ...policy, Name: other.Name },
      { ...other, Name: policy.Name },
    ]
    expect(told({ ...NONE, policies: swapped }, aStored({ policies: [policy, other] }))).toEqual([
      `put policies ${policy.ID}@5`,
      `put policies ${other.ID}@7`,
    ])
  })

  test('in a slice, the stored holder of a received name is deleted until it arrives again', () => {
    const newer = aPolicy({ Name: policy.Name })
    expect(told({ ...NONE, policies: [newer] }, aStored({ policies: [policy] }), true)).toEqual([
      `delete policies ${policy.ID}@5`,
      `put policies ${newer.ID}@0`,
    ])
  })

  test('in a slice, a record of a namespace that has not arrived is left for later', () => {
    const early = aPolicy({ Namespace: 'later' })
    const arriving = { ...NONE, policies: [early], tokens: [aToken({ Namespace: 'later' })] }
    expect(told(arriving, aStored({}), true)).toEqual([])
    expect(told(arriving, aStored({}))).toHaveLength(2)
  })
})

test('a namespace that contains records of this datacenter is kept and reported', () => {
  const namespace = { ...aNamespace(), ModifyIndex: 8 }
  const gone = deleted({ namespaces: [namespace.Name] })
  const used = aStored({ namespaces: [namespace] }, { ownNamespaces: new Set([namespace.Name]) })
  expect(changesFor(gone, used, false)).toMatchObject({ changes: [], keptNamespaces: [namespace.Name] })
  expect(told(gone, aStored({ namespaces: [namespace] }))).toEqual([`delete namespaces ${namespace.Name}@8`])
})
