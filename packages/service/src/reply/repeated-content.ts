import { AclError, limits } from '@latchkey/contract'

/**
 * Counts what one answer shows again and again: the node of a thousand instances, the tags of a service in each of its
 * checks. Stored once, it may be shown any number of times. Decisions: bounds.
 */
export class RepeatedContent {
  /** Lengths of the records shown; 0 until the first repetition. */
  private readonly lengths = new Map<object, number>()
  private bytes = 0

  /** Counts a record, unless the answer shows it for the first time. @throws AclError `answer_too_large`. */
  add(record: object, lengthOf: () => number): void {
    const known = this.lengths.get(record)
    const length = known === 0 ? lengthOf() : (known ?? 0)
    this.lengths.set(record, length)
    this.bytes += length
    if (this.bytes <= limits.REPEATED_BYTES_MAX) return
    const message = `The answer would repeat more than ${limits.REPEATED_BYTES_MAX} bytes: ask for less at a time`
    throw new AclError('answer_too_large', message)
  }

  /** Counts the tags of a service, which each of its checks shows. @throws AclError `answer_too_large`. */
  addTags(service: { readonly Tags: readonly string[] } | undefined): void {
    if (service) this.add(service.Tags, () => service.Tags.reduce((sum, tag) => sum + tag.length, 0))
  }
}
