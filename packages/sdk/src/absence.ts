/** Interprets a 404 that is not an error. */
import { type LatchkeyError, NotFound } from './errors.ts'
import type { WithMeta } from './meta.ts'

/** The answer that an absence represents. */
export function absentAs<T>(value: T, { meta }: NotFound): WithMeta<T> {
  return { ...meta, value }
}

/** A record that an earlier attempt may have deleted counts as deleted by this call. */
export async function whenGone(refusal: LatchkeyError): Promise<WithMeta<true> | undefined> {
  return refusal instanceof NotFound ? absentAs(true, refusal) : undefined
}
