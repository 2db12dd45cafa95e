/**
 * Finds comparisons of secret material in source text (TIM-02). `===` and similar ones stop at the first different character,
 * so their duration reveals how much of a guess is correct. Secrets are looked up by their keyed hash instead; code that must
 * compare them uses `timingSafeEqual`.
 */
import { parseSync } from 'vite'

interface Comparison {
  /** From 1. */
  readonly line: number
  /** The comparison as written, on one line. */
  readonly text: string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** A variable or field with one of these names holds one or more secrets; one that ends in "hash" holds none. */
const SECRET_NAME =
  /(?:secret(?:id|text)?|password|passphrase|credential|bearer|privatekey|encryptionkey)s?$/i

/** Public constants are not secrets, whatever their names. */
const PUBLIC_NAMES: ReadonlySet<string> = new Set(['ANONYMOUS_TOKEN_SECRET_ID', 'REDACTED_SECRET_ID'])

const OPERATORS: ReadonlySet<unknown> = new Set(['===', '!==', '==', '!=', '<', '>', '<=', '>='])

/** Methods that compare their receiver with their argument, byte by byte. */
const METHODS: ReadonlySet<string> = new Set([
  ...['compare', 'endsWith', 'equals', 'includes', 'indexOf', 'lastIndexOf', 'localeCompare'],
  ...['startsWith'],
])

/** Every comparison in a file in which a secret meets something that is not public. */
export function findComparedSecrets(name: string, source: string): Comparison[] {
  const found: Comparison[] = []
  const add = ({ start, end }: Node) =>
    found.push({
      line: source.slice(0, start).split('\n').length,
      text: source.slice(start, end).replace(/\s+/g, ' '),
    })
  visit(parseSync(name, source).program, (node) => {
    if (node.type === 'BinaryExpression' && OPERATORS.has(node.operator)) {
      if (isTelling(node.left, node.right)) add(node)
    } else if (node.type === 'CallExpression') {
      const callee = unwrapped(node.callee)
      if (callee?.type !== 'MemberExpression' || !METHODS.has(nameOf(callee) ?? '')) return
      const [argument, second] = node.arguments as readonly unknown[]
      // `Buffer.compare(a, b)` has both as arguments.
      if (isTelling(callee.object, argument) || (second && isTelling(argument, second))) add(node)
    } else if (node.type === 'SwitchStatement' && isSecret(node.discriminant)) {
      add(unwrapped(node.discriminant) ?? node)
    }
  })
  return found
}

function isTelling(left: unknown, right: unknown): boolean {
  return (isSecret(left) && !isPublic(right)) || (isSecret(right) && !isPublic(left))
}

function isSecret(value: unknown): boolean {
  const name = nameOf(unwrapped(value))
  return name !== undefined && SECRET_NAME.test(name) && !PUBLIC_NAMES.has(name)
}

/** A literal, `undefined`, the type of a value, or a public constant. */
function isPublic(value: unknown): boolean {
  const node = unwrapped(value)
  if (node === undefined || node.type === 'Literal') return true
  if (node.type === 'TemplateLiteral') return (node.expressions as readonly unknown[]).length === 0
  const name = nameOf(node)
  return name === 'undefined' || (name !== undefined && PUBLIC_NAMES.has(name))
}

/** The last name of an expression: `SecretID` of `request.SecretID`. */
function nameOf(node: Node | undefined): string | undefined {
  if (node?.type === 'Identifier') return String(node.name)
  if (node?.type !== 'MemberExpression') return undefined
  const property = node.property as Node
  if (property.type === 'Identifier' || property.type === 'PrivateIdentifier') return String(property.name)
  return property.type === 'Literal' ? String(property.value) : undefined
}

const WRAPPERS: Readonly<Record<string, string>> = {
  AwaitExpression: 'argument',
  ChainExpression: 'expression',
  ParenthesizedExpression: 'expression',
  TSAsExpression: 'expression',
  TSNonNullExpression: 'expression',
  TSSatisfiesExpression: 'expression',
}

/** Without parentheses, casts and `?.`; a secret in another case, trimmed or as bytes is still the secret. */
function unwrapped(value: unknown): Node | undefined {
  let node = isNode(value) ? value : undefined
  for (;;) {
    const inner = node && (WRAPPERS[node.type] ? node[WRAPPERS[node.type] ?? ''] : derivedFrom(node))
    if (!isNode(inner)) return node
    node = inner
  }
}

const DERIVING: ReadonlySet<string> = new Set([
  'toLowerCase',
  'toUpperCase',
  'toString',
  'trim',
  'slice',
  'at',
])

function derivedFrom(node: Node): unknown {
  if (node.type !== 'CallExpression') return undefined
  const callee = node.callee as Node
  if (callee.type !== 'MemberExpression') return undefined
  const name = nameOf(callee) ?? ''
  if (DERIVING.has(name)) return callee.object
  // `Buffer.from(secret)`
  return name === 'from' ? (node.arguments as readonly unknown[])[0] : undefined
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) {
    for (const item of value) visit(item, see)
  } else if (isNode(value)) {
    see(value)
    for (const field of Object.values(value)) visit(field, see)
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
