/**
 * The comparable content of an answer. A filtered read also wakes on changes that it does not show.
 * Decisions: blocking queries.
 */
import type { AnyAnswer } from '../handler.ts'

/** `undefined` if too large to keep; then it counts as changed. */
export type Shown = string | Uint8Array | undefined

/** Keeps bytes without copying: thousands of waiters on one list share them. */
export function shownIn({ body, watch }: AnyAnswer): Shown {
  switch (body.kind) {
    case 'json':
      return shortened(JSON.stringify(body.value))
    case 'text':
    case 'json-text':
      return shortened(body.text)
    case 'json-bytes':
    case 'bytes':
      return body.bytes
    case 'refusal':
      return body.error.code
    case 'json-document':
      return body.document.bytes({ pretty: false })
    case 'json-stream':
      return watch?.fingerprint
  }
}

/** Longer texts are compared by fingerprint, because thousands may wait on one tree, each with its own text. */
const COMPARED_LENGTH_MAX = 1_024

function shortened(text: string): string {
  if (text.length <= COMPARED_LENGTH_MAX) return text
  const fingerprint = new Fingerprint()
  fingerprint.add(text)
  return fingerprint.text
}

/** An incremental fingerprint: the length and 64 bits of hash, two runs of FNV-1a with different offset and prime. */
export class Fingerprint {
  private low = 0x811c9dc5
  private high = 0x9747b28c
  private length = 0

  add(text: string): void {
    this.length += text.length
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i)
      this.low = Math.imul(this.low ^ unit, 0x01000193)
      this.high = Math.imul(this.high ^ unit, 0x85ebca6b)
    }
  }

  get text(): string {
    return `${this.length} ${this.low >>> 0} ${this.high >>> 0}`
  }
}

export function isSame(shown: Shown, before: Shown): boolean {
  if (!(shown instanceof Uint8Array) || !(before instanceof Uint8Array))
    return shown !== undefined && shown === before
  if (shown === before) return true
  const known = comparisons.get(shown)
  if (known?.before === before) return known.isSame
  const isSame = shown.length === before.length && shown.every((byte, i) => byte === before[i])
  comparisons.set(shown, { before, isSame })
  return isSame
}

/** The last comparison of an answer's bytes, shared by all its waiters. */
const comparisons = new WeakMap<Uint8Array, { readonly before: Uint8Array; readonly isSame: boolean }>()
