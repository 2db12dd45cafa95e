/** The rules of labels: an extension, for questions about many tokens. Decisions: tokens. */
import { AclError, limits, shorten, utf8Length } from '@latchkey/contract'

/** Pairs in order of their keys. */
export type Labels = Readonly<Record<string, string>>

const KEY = /^[A-Za-z0-9](?:[A-Za-z0-9._/-]*[A-Za-z0-9])?$/
/** Control characters, lone surrogates, and what ends a line. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u2028\u2029]/u

/**
 * The labels of a create or update.
 * @param kept the stored labels. An absent field keeps them: clients of the specification update a token without knowing labels,
 *   and must not clear them.
 * @throws AclError `field_invalid`, `field_too_long`.
 */
export function decideLabels(requested: Labels | undefined, kept: Labels, secretId: string): Labels {
  if (requested === undefined) return kept
  const pairs = Object.entries(requested)
  if (pairs.length > limits.LABELS_MAX) {
    const message = `Labels has ${pairs.length} pairs; a token has at most ${limits.LABELS_MAX}`
    throw new AclError('field_invalid', message, { field: 'Labels' })
  }
  for (const [key, value] of pairs) checkLabel(key, value, secretId)
  return Object.fromEntries(pairs.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function checkLabel(key: string, value: string, secretId: string): void {
  const refuse = (code: 'field_invalid' | 'field_too_long', problem: string) =>
    new AclError(code, `Invalid Labels: ${problem}`, { field: 'Labels' })
  const name = JSON.stringify(shorten(key))
  const { LABEL_KEY_LENGTH_MAX: keyMax, LABEL_VALUE_BYTES_MAX: valueMax } = limits
  if (key.length > keyMax)
    throw refuse('field_too_long', `the key ${name} is longer than ${keyMax} characters`)
  if (!KEY.test(key)) {
    const rule = "letters, digits and '._/-', and begins and ends with a letter or digit"
    throw refuse('field_invalid', `a key has ${rule}, unlike ${name}`)
  }
  if (utf8Length(value) > valueMax)
    throw refuse('field_too_long', `the value of ${name} is longer than ${valueMax} bytes`)
  if (UNPRINTABLE.test(value))
    throw refuse('field_invalid', `the value of ${name} has a control character or a line break`)
  if (value === secretId) throw refuse('field_invalid', `the value of ${name} is the secret of the token`)
}
