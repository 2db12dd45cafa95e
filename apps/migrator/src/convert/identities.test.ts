import { expect, test } from 'vitest'
import { aConversion } from '../../test/conversion.ts'
import { Catalog } from './identities.ts'
import { proveConversion } from './proof/prove-conversion.ts'

const node = (name: string, more = `agent "${name}" { policy = "write" }`) =>
  `node "${name}" { policy = "write" } service "" { policy = "read" } ${more}`
const service = (name: string, more = '') =>
  `service "${name}" { policy = "write" } service "" { policy = "read" } node "" { policy = "read" } ${more}`

const catalog = new Catalog()
for (const Node of ['n-1', 'n-10', 'db', 'db-2', 'Upper', '-n'])
  for (const Datacenter of ['dc1', 'dc2']) catalog.add({ Node, Datacenter })
catalog.add({ web: [], 'web-sidecar-proxy': [], pay: ['v1'], 'pay-api': [] })

const converted = (...texts: string[]) =>
  aConversion(
    texts.map((rules) => ({ rules })),
    { catalog },
  )
const NODE = (NodeName: string) => ['dc1', 'dc2'].map((Datacenter) => ({ NodeName, Datacenter }))

test('rules of one node or service become its identity, a node’s in each datacenter, and no policy', () => {
  const { groups, policies, identitiesLeft } = converted(node('n-10'), node('n-10', ''), service('web'))
  expect(groups.map(({ nodeIdentities, serviceIdentities }) => [nodeIdentities, serviceIdentities])).toEqual([
    [NODE('n-10'), []],
    [NODE('n-10'), []],
    [[], [{ ServiceName: 'web' }]],
  ])
  expect([policies, identitiesLeft]).toEqual([[], 0])
})

test.each([
  ['another right', `${node('n-10')} key "" { policy = "read" }`],
  ['an agent that is denied', node('n-10', 'agent "n-10" { policy = "deny" }')],
  ['the agent of another node', node('n-10', 'agent "n-1" { policy = "write" }')],
  ['no right to read services', 'node "n-10" { policy = "write" }'],
  ['a lower level', node('n-10').replace('write', 'read')],
  ['intentions', service('web', 'service "web" { policy = "write" intentions = "write" }')],
  [
    'a service without the right to read nodes',
    'service "web" { policy = "write" } service "" { policy = "read" }',
  ],
  ['a name that an identity may not have', node('Upper')],
  ['a prefix', node('n-')],
  ['every name', node('')],
])('rules with %s become a policy', (_, rules) => {
  expect(converted(rules)).toMatchObject({ policies: [{}], identitiesLeft: 0 })
})

test('a longer name in the catalog must have rules of its own: otherwise the rules may be meant as a prefix', () => {
  expect(converted(node('n-1'))).toMatchObject({ policies: [{}], identitiesLeft: 1 })
  expect(converted(node('n-1'), node('n-10'))).toMatchObject({ policies: [], identitiesLeft: 0 })
  expect(converted(service('pay'))).toMatchObject({ policies: [{}], identitiesLeft: 1 })
  expect(converted(node('db'), service('db-2'))).toMatchObject({ policies: [{}, {}], identitiesLeft: 2 })
})

test('a name that the catalog lacks becomes a policy, as all do without a catalog', () => {
  expect(converted(node('gone'))).toMatchObject({ policies: [{}], identitiesLeft: 1 })
  expect(aConversion([{ rules: node('n-10') }])).toMatchObject({ policies: [{}], identitiesLeft: 1 })
})

test('the proof counts what identities leave out, and calls everything else a difference', () => {
  const conversion = converted(node('n-1'), node('n-10'), service('web'))
  const prove = (changed: typeof conversion) => proveConversion(changed, { questions: 300, seed: 1 })
  const proof = prove(conversion)
  expect(proof.differenceCount).toBe(0)
  expect(proof.leftOut).toBeGreaterThan(0)
  const withLinks = (links: object) =>
    prove({ ...conversion, groups: conversion.groups.map((group) => ({ ...group, ...links })) })
  expect(withLinks({ nodeIdentities: NODE('n-2') }).differenceCount).toBeGreaterThan(0)
  expect(withLinks({ serviceIdentities: [{ ServiceName: 'pay' }] }).differenceCount).toBeGreaterThan(0)
  expect(withLinks({ serviceIdentities: [], nodeIdentities: [] }).differenceCount).toBeGreaterThan(0)
})
