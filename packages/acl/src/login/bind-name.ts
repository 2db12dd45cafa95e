/** Bind names: templates for what a binding rule gives, filled with the claims of a login. Decisions: auth methods. */
import { AclError, shorten } from '@latchkey/contract'
import { isIdentityName } from '../identities.ts'
import { isNamespaceName } from '../ids.ts'
import type { BindType } from '../records/login-records.ts'
import { isRoleName } from '../role/role-rules.ts'
import { type Attributes, namesOf } from './attributes.ts'

type BindNamePart = { readonly literal: string } | { readonly attribute: string }

export type BindName = readonly BindNamePart[]

type ComputedName =
  | { readonly outcome: 'computed'; readonly name: string }
  /** A claim is missing or empty; the rule does not apply. */
  | { readonly outcome: 'claim_missing'; readonly attributes: readonly string[] }
  /** The name is not allowed for its type, or a claim has a character outside ASCII. */
  | { readonly outcome: 'name_invalid' }

const FITS: Readonly<Record<BindType | 'namespace', (name: string) => boolean>> = {
  service: isIdentityName,
  node: isIdentityName,
  role: isRoleName,
  namespace: isNamespaceName,
}

/** The value of every attribute when a bind name is validated at the write of its rule. */
const TRIED_VALUE = 'fake'

/** Matches one part: `$${`, an attribute in `${…}`, or other text. */
const PART = /(\$\$\{)|\$\{\s*([A-Za-z][A-Za-z0-9._-]*)\s*\}|(\$\{)|[^$]+|\$/y

/**
 * Parses a bind name and validates it with sample values.
 * @param text not empty.
 * @param field name of the body's field, for errors.
 */
export function checkBindName(
  text: string,
  type: BindType | 'namespace',
  options: { readonly attributes: Attributes; readonly field?: string },
): BindName {
  const { attributes, field = 'BindName' } = options
  const parts = parseBindName(text, attributes, field)
  const tried = new Map([...attributes.keys()].map((name) => [name, TRIED_VALUE]))
  if (computeBindName(parts, type, tried).outcome !== 'computed') {
    const problem = `invalid ${field}: no ${type} can have the name ${JSON.stringify(shorten(text))}`
    throw new AclError('selector_invalid', problem, { field })
  }
  return parts
}

function parseBindName(text: string, attributes: Attributes, field: string): BindName {
  const parts: BindNamePart[] = []
  PART.lastIndex = 0
  for (let at = 0; at < text.length; at = PART.lastIndex) {
    const [literal = '', escaped, attribute, unreadable] = PART.exec(text) ?? []
    const fault = (problem: string) => bindNameError(field, { text, at }, problem)
    if (unreadable !== undefined) {
      throw fault('expected an attribute and } after ${; write $${ for the characters themselves')
    }
    if (attribute === undefined) {
      parts.push({ literal: escaped === undefined ? literal : '${' })
    } else if (attributes.get(attribute) === 'text') {
      parts.push({ attribute })
    } else {
      const names = namesOf(attributes, ['text'])
      throw fault(`unknown variable accessed: ${shorten(attribute)}; a name may use ${names}`)
    }
  }
  return parts
}

function bindNameError(
  field: string,
  { text, at }: { readonly text: string; readonly at: number },
  problem: string,
): AclError {
  const before = text.slice(0, at).split('\n')
  const line = before.length
  const column = [...(before.at(-1) ?? '')].length + 1
  return new AclError('selector_invalid', `invalid ${field}: ${line}:${column}: ${problem}`, {
    field,
    line,
    column,
  })
}

/** Computes the name for a login. ASCII letters in claims are lower-cased; literal text is not changed. */
export function computeBindName(
  parts: BindName,
  type: BindType | 'namespace',
  texts: ReadonlyMap<string, string>,
): ComputedName {
  const missing = new Set<string>()
  let name = ''
  for (const part of parts) {
    if ('literal' in part) {
      name += part.literal
      continue
    }
    const value = texts.get(part.attribute) ?? ''
    if (value === '') missing.add(part.attribute)
    // Only ASCII is lower-cased: the Kelvin sign is kept, and makes the name invalid.
    name += value.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
  }
  if (missing.size > 0) return { outcome: 'claim_missing', attributes: [...missing] }
  return FITS[type](name) ? { outcome: 'computed', name } : { outcome: 'name_invalid' }
}
