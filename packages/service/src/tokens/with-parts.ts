/** The keys that the option `with` adds to a token, after those of the record: an extension. */
import { showLineage, type TokenRecord } from '@latchkey/acl'
import type { Query, Token } from '@latchkey/contract'
import type { ServiceOptions } from '../options.ts'
import type { JsonText } from '../reply/json-text.ts'

export type TokenPart = NonNullable<Query<'tokens.self'>['with']>[number]

type Extensions = Pick<Token, 'Labels' | 'CreatedBy' | 'ModifiedBy'>

/** In the order of keys on the wire. A part that the token does not have adds nothing. */
export function extensionsOf(
  token: TokenRecord,
  parts: readonly TokenPart[] | undefined = [],
  { edition }: Pick<ServiceOptions, 'edition'>,
): Extensions {
  const { Labels } = token
  return {
    ...(parts.includes('labels') && Object.keys(Labels).length > 0 ? { Labels: { ...Labels } } : {}),
    ...(parts.includes('lineage') ? showLineage(token, edition === 'extended') : {}),
  }
}

/** The text of a token with more keys at its end. */
export function extendText(text: JsonText<Token>, extensions: Extensions): JsonText<Token> {
  const added = JSON.stringify(extensions).slice(1)
  return added === '}' ? text : (`${text.slice(0, -1)},${added}` as JsonText<Token>)
}
