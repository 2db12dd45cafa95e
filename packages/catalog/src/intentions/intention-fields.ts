/** Checks shared by all ways to write an intention. The messages are the reference's. Decisions: intentions. */

import {
  DEFAULT_NAMESPACE,
  type IntentionAction,
  type IntentionEnds,
  invalidField,
  WILDCARD,
} from '@latchkey/acl'
import { AclError, shorten } from '@latchkey/contract'

/** The refusal of a field. Its message also names the field. */
export function invalid(field: string, what: string): AclError {
  return invalidField(field, `${field} ${what}`)
}

function invalidEnd(field: string, what: string): AclError {
  return new AclError('field_invalid', `${field}: ${what}`, { field })
}

export function requireName(name: string, field: string, what = 'must be set'): void {
  if (name === '') throw new AclError('field_required', `${field} ${what}`, { field })
}

/**
 * Checks a source or destination: a wildcard must be the whole name, and a wildcard namespace requires a
 * wildcard name.
 */
export function checkEnd(
  end: { readonly namespace: string; readonly name: string },
  fields: { readonly namespace: string; readonly name: string },
): void {
  for (const part of ['namespace', 'name'] as const) {
    if (end[part] === WILDCARD || !end[part].includes(WILDCARD)) continue
    throw invalidEnd(fields[part], "wildcard character '*' cannot be used with partial values")
  }
  if (end.namespace === WILDCARD && end.name !== WILDCARD) {
    throw invalidEnd(fields.name, 'exact value cannot follow wildcard namespace')
  }
}

/** The namespace of a source or destination. From 1.9.0, the standard edition has only `default`. */
export function namespaceOfEnd(
  given: string | undefined,
  field: string,
  edition: 'standard' | 'extended',
): string {
  if (given === undefined || given === '') return DEFAULT_NAMESPACE
  if (edition === 'standard' && given !== DEFAULT_NAMESPACE) {
    const message = `Invalid ${field}(${shorten(given)}): Namespaces are a feature of the extended edition`
    throw new AclError('namespace_unsupported', message, { field })
  }
  return given
}

export function actionOf(action: string | undefined, field: string): IntentionAction {
  if (action === 'allow' || action === 'deny') return action
  throw invalid(field, "must be set to 'allow' or 'deny'")
}

export function checkSourceType(type: string | undefined, field: string): void {
  if (type !== undefined && type !== '' && type !== 'consul') throw invalid(field, "must be set to 'consul'")
}

/** Checks the source type of a query. */
export function requireSourceType(type: string | undefined): void {
  if (type === undefined || type === '' || type === 'consul') return
  throw new AclError('field_invalid', `unsupported SourceType: ${JSON.stringify(shorten(type))}`, {
    field: 'source-type',
  })
}

/** Parses the source or destination of a query: `name` or `namespace/name`. */
export function parseEnd(
  text: string | undefined,
  option: string,
  edition: 'standard' | 'extended',
): { readonly namespace: string; readonly name: string } {
  if (text === undefined || text === '') {
    throw new AclError('field_required', `required query parameter '${option}' not set`, { field: option })
  }
  const parts = text.split('/')
  if (parts.length > 2) {
    const message = `${option} ${JSON.stringify(shorten(text))} is invalid: input can contain at most one '/'`
    throw new AclError('field_invalid', message, { field: option })
  }
  const [namespace, name] = parts.length === 2 ? [parts[0], parts[1]] : [undefined, parts[0]]
  return { namespace: namespaceOfEnd(namespace, option, edition), name: name ?? '' }
}

/** Describes an intention in messages: `ALLOW default/a => default/b`. */
export function describeIntention(
  { SourceNS, SourceName, DestinationNS, DestinationName }: IntentionEnds,
  action: IntentionAction | undefined,
): string {
  const what = action?.toUpperCase() ?? 'PERMISSIONS'
  return `${what} ${SourceNS}/${SourceName} => ${DestinationNS}/${DestinationName}`
}
