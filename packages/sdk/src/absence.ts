/** What an absence means where it is no error. */
import { type LatchkeyError, NotFound } from './errors.ts'
import type { WithMeta } from './meta.ts'

/** The answer that an absence stands for. */
export function absentAs<T>(value: T, { meta }: NotFound): WithMeta<T> {
  return { ...meta, value }
}

/** A record that is absent when an earlier attempt may have deleted it: gone, as was asked. */
export async function whenGone(refusal: LatchkeyError): Promise<WithMeta<true> | undefined> {
  return refusal instanceof NotFound ? absentAs(true, refusal) : undefined
}
