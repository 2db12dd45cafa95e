/** Kinds of resources that rules and checks are about. Whatever lists or tells apart kinds derives from this table. */

interface ResourceKind {
  /** Whether a check has a segment: a name or path. */
  readonly isNamed: boolean
  readonly accesses: readonly ['read', 'write'] | readonly ['read', 'list', 'write', 'write-prefix']
  /** The rule that decides, if it is of another kind. */
  readonly rule?: 'service'
  /** The kind whose rule decides in the absence of an own one. */
  readonly follows?: 'operator'
}

const READ_WRITE = ['read', 'write'] as const

export const RESOURCE_KINDS = {
  acl: { isNamed: false, accesses: READ_WRITE },
  agent: { isNamed: true, accesses: READ_WRITE },
  event: { isNamed: true, accesses: READ_WRITE },
  /** Decided by the attribute `intentions` of a rule for the service. */
  intention: { isNamed: true, accesses: READ_WRITE, rule: 'service' },
  key: { isNamed: true, accesses: ['read', 'list', 'write', 'write-prefix'] },
  keyring: { isNamed: false, accesses: READ_WRITE },
  mesh: { isNamed: false, accesses: READ_WRITE, follows: 'operator' },
  node: { isNamed: true, accesses: READ_WRITE },
  operator: { isNamed: false, accesses: READ_WRITE },
  peering: { isNamed: false, accesses: READ_WRITE, follows: 'operator' },
  query: { isNamed: true, accesses: READ_WRITE },
  service: { isNamed: true, accesses: READ_WRITE },
  session: { isNamed: true, accesses: READ_WRITE },
} as const satisfies Record<string, ResourceKind>

type Kinds = typeof RESOURCE_KINDS
type KindsWith<Row> = { [Kind in keyof Kinds]: Kinds[Kind] extends Row ? Kind : never }[keyof Kinds]

/** Resources that a check can name. The service parses any text, and refuses unknown names. */
export type CheckedResource = keyof Kinds
/** `list` and `write-prefix` exist only for keys. */
export type CheckedAccess = Kinds[CheckedResource]['accesses'][number]
/** Resources with a segment. */
export type SegmentResource = KindsWith<{ isNamed: true }>
/** Resources without a segment. */
export type ScalarResource = KindsWith<{ isNamed: false }>
/** Kinds of rules: all but those that rules of another kind decide. */
export type RuleKind = Exclude<CheckedResource, KindsWith<{ rule: string }>>

const KINDS = Object.keys(RESOURCE_KINDS) as CheckedResource[]
const rowOf = (kind: CheckedResource): ResourceKind => RESOURCE_KINDS[kind]

export function isScalar(kind: CheckedResource): kind is ScalarResource {
  return !rowOf(kind).isNamed
}

export const SEGMENT_RESOURCES = KINDS.filter((kind): kind is SegmentResource => !isScalar(kind))
export const SCALAR_RESOURCES = KINDS.filter(isScalar)
/** In the reference's order. */
export const RULE_KINDS = KINDS.filter((kind): kind is RuleKind => rowOf(kind).rule === undefined)
