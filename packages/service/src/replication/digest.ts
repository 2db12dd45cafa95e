/** The digests by which two datacenters check whether their records are equal. Decisions: changes. */
import { RecordDigest } from '@latchkey/acl'
import { type ReplicatedRecords, takeShowable } from '../store/replicated.ts'

/** Hashing this many characters takes about two milliseconds. */
const CHARACTERS_PER_SLICE = 32_768

export interface RecordsDigest {
  readonly digest: RecordDigest
  /** Number of tokens whose secret is unknown; the digest does not include them. */
  readonly leftOut: number
}

/** @param pause called about every two milliseconds of work. If it throws, the work ends. */
export async function digestOf(
  pages: AsyncIterable<ReplicatedRecords>,
  pause: () => Promise<void>,
): Promise<RecordsDigest> {
  const digest = new RecordDigest()
  let leftOut = 0
  let length = 0
  const work = function* ({ namespaces, policies, roles, tokens }: ReplicatedRecords) {
    for (const record of namespaces) yield digest.add('namespaces', record)
    for (const record of policies) yield digest.add('policies', record)
    for (const record of roles) yield digest.add('roles', record)
    const showable = takeShowable(tokens)
    leftOut += showable.leftOut
    for (const record of showable.tokens) yield digest.add('tokens', record)
  }
  for await (const page of pages) {
    for (const added of work(page)) {
      length += added
      if (length < CHARACTERS_PER_SLICE) continue
      length = 0
      await pause()
    }
  }
  return { digest, leftOut }
}
