/** What an answer shows: whoever waits for a filtered read is woken by more than what it sees. Decisions: blocking queries. */
import type { Answer } from './call.ts'

/** `undefined` where it is too large to be held, which counts as changed. */
export type Shown = string | Uint8Array | undefined

/** Bytes are kept as they are: thousands may wait on one list, and all of them hold the same one. */
export function shownIn({ body }: Answer): Shown {
  switch (body.kind) {
    case 'json':
      return JSON.stringify(body.value)
    case 'json-text':
      return body.text
    case 'json-bytes':
    case 'bytes':
      return body.bytes
    case 'refusal':
      return body.error.code
    case 'json-stream':
      return undefined
  }
}

/** Whether an answer shows what an earlier one of the same read showed. */
export function isSame(shown: Shown, before: Shown): boolean {
  if (!(shown instanceof Uint8Array) || !(before instanceof Uint8Array)) {
    return shown !== undefined && shown === before
  }
  if (shown === before) return true
  const known = comparisons.get(shown)
  if (known?.before === before) return known.isSame
  const isSame = shown.length === before.length && shown.every((byte, i) => byte === before[i])
  comparisons.set(shown, { before, isSame })
  return isSame
}

/** The last comparison of an answer's bytes: what one waiter finds holds for all that waited with it. */
const comparisons = new WeakMap<Uint8Array, { readonly before: Uint8Array; readonly isSame: boolean }>()
