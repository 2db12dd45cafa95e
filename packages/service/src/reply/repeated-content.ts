import { AclError, limits } from '@latchkey/contract'

/**
 * Counts what one answer shows again and again: the node of a thousand instances, the tags of a service in each of its
 * checks. Stored once, it may be shown any number of times. Decisions: bounds.
 */
export class RepeatedContent {
  private readonly shown = new Set<object>()
  private bytes = 0

  /**
   * Counts a record, unless the answer shows it for the first time.
   *
   * @throws AclError `answer_too_large`.
   */
  add(record: object, lengthOf: () => number): void {
    if (!this.shown.has(record)) {
      this.shown.add(record)
      return
    }
    this.bytes += lengthOf()
    if (this.bytes <= limits.REPEATED_BYTES_MAX) return
    const message = `The answer would repeat more than ${limits.REPEATED_BYTES_MAX} bytes: ask for less at a time`
    throw new AclError('answer_too_large', message)
  }

  /** Counts the tags of a service, which each of its checks shows. @throws AclError `answer_too_large`. */
  addTags(service: { readonly Tags: readonly string[] } | undefined): void {
    if (service) this.add(service.Tags, () => service.Tags.reduce((sum, tag) => sum + tag.length, 0))
  }
}
