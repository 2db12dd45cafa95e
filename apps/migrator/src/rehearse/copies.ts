/** Compares the tokens of a secondary with their originals in the primary. */
import type { Cluster } from './cluster.ts'
import { type Found, readTokens } from './steps/tokens.ts'

/** The result of comparing the global tokens of a secondary with the primary, at the end. */
export interface CopyFaults {
  readonly withAccessor: number
  readonly withoutAccessor: number
  /** Tokens that the primary does not have. */
  readonly ghosts: number
  /** Tokens of the primary that the secondary lacks. */
  readonly missing: number
  /** Tokens whose accessor differs from the one in the primary. */
  readonly differing: number
}

/** Compares the global tokens of a secondary with the primary. */
export async function compareTokens(
  { primary }: { readonly primary: Cluster },
  secondary: Cluster,
): Promise<CopyFaults> {
  const [originals, copies] = await Promise.all(
    [primary, secondary].map((cluster) => readTokens(cluster.client(cluster.managementSecret))),
  )
  const given = [...(copies ?? [])].filter(([, { Local }]) => !Local)
  const count = (fails: (copy: Found, original: Found | undefined) => boolean) =>
    given.filter(([secret, copy]) => fails(copy, originals?.get(secret))).length
  return {
    withAccessor: count(({ AccessorID }) => AccessorID !== ''),
    withoutAccessor: count(({ AccessorID }) => AccessorID === ''),
    ghosts: count((_, original) => original === undefined),
    missing: [...(originals ?? [])].filter(([secret, { Local }]) => !Local && !copies?.has(secret)).length,
    differing: count(
      ({ AccessorID }, original) =>
        original !== undefined && AccessorID !== '' && AccessorID !== original.AccessorID,
    ),
  }
}
