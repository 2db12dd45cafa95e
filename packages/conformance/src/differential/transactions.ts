/** Random transactions: short, so that many commit, and over few names, so that operations collide. */
import type { Pool } from './bodies.ts'

const KEYS = ['a', 'ab', 'b/', 'b/c'] as const
const VALUES = ['', 'dg==', 'e30='] as const
const SERVICES = ['web', 'api'] as const
const CATALOG_VERBS = ['get', 'set', 'set', 'set', 'cas', 'delete', 'delete-cas'] as const

/** The node that transactions of a sequence change. */
export function nodeOf(tag: string): string {
  return `${tag}-node`
}

export function transactionBody(pool: Pool): readonly object[] {
  const { random } = pool
  const length = random.weighted([
    [4, 1],
    [4, 2],
    [3, 4],
    [1, 8],
    [0.2, 65],
  ])
  return Array.from({ length }, () =>
    random.weighted<(pool: Pool) => object>([
      [12, keyOperation],
      [3, nodeOperation],
      [5, serviceOperation],
      [5, checkOperation],
      [0.2, () => ({})],
    ])(pool),
  )
}

/** No answer text may contain an index, which differs between services, so only missing keys are checked by index. */
function keyOperation({ random, tag }: Pool): object {
  const Verb = random.weighted([
    [6, 'set'],
    [2, 'cas'],
    [3, 'get'],
    [2, 'get-tree'],
    [2, 'check-not-exists'],
    [2, 'delete'],
    [1, 'delete-cas'],
    [1, 'delete-tree'],
    [0.2, 'shift'],
    [0.5, 'check-index'],
  ])
  const isTree = Verb.endsWith('-tree')
  const Key = Verb === 'check-index' ? `${tag}-none` : `${tag}${isTree ? '' : '/'}${random.pick(KEYS)}`
  const tree = `${tag}/${random.pick(['', 'a', 'b/'])}`
  return {
    KV: {
      Verb,
      Key: isTree ? tree : Key,
      ...(random.chance(0.7) ? { Value: random.pick(VALUES) } : {}),
      ...(random.chance(0.2) ? { Flags: 7 } : {}),
      ...(random.chance(0.3) ? { Index: random.pick([0, 0, 1]) } : {}),
    },
  }
}

function nodeOperation({ random, tag }: Pool): object {
  const Node = {
    Node: nodeOf(tag),
    Address: random.pick(['10.0.0.1', '10.0.0.2']),
    ...(random.chance(0.2) ? { Meta: { rack: 'r1' } } : {}),
    ...(random.chance(0.3) ? { ModifyIndex: random.pick([0, 1]) } : {}),
  }
  return { Node: { Verb: random.pick(CATALOG_VERBS), Node } }
}

function serviceOperation({ random, tag }: Pool): object {
  const Service = {
    ID: random.pick(['one', 'two']),
    ...(random.chance(0.9) ? { Service: `${tag}-${random.pick(SERVICES)}` } : {}),
    ...(random.chance(0.3) ? { Port: 80 } : {}),
    ...(random.chance(0.3) ? { ModifyIndex: random.pick([0, 1]) } : {}),
  }
  return { Service: { Verb: random.pick(CATALOG_VERBS), Node: nodeOf(tag), Service } }
}

function checkOperation({ random, tag }: Pool): object {
  const Check = {
    Node: nodeOf(tag),
    CheckID: random.pick(['alive', 'ready']),
    Status: random.pick(['passing', 'critical']),
    ...(random.chance(0.5) ? { ServiceID: random.pick(['one', 'two', 'none']) } : {}),
    ...(random.chance(0.3) ? { ModifyIndex: random.pick([0, 1]) } : {}),
  }
  return { Check: { Verb: random.pick(CATALOG_VERBS), Check } }
}
