/** Converts a 404 that is not an error into an answer. */
import { type LatchkeyError, NotFound } from './errors.ts'
import type { WithMeta } from './meta.ts'

/** Builds the answer for an absent record, with the facts of the 404. */
export function absentAs<T>(value: T, { meta }: NotFound): WithMeta<T> {
  return { ...meta, value }
}

/** Treats a 404 as success: an earlier attempt of this call may have deleted the record. */
export async function whenGone(refusal: LatchkeyError): Promise<WithMeta<true> | undefined> {
  return refusal instanceof NotFound ? absentAs(true, refusal) : undefined
}
