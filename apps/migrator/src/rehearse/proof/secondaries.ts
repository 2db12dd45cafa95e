/** The proofs for each secondary: it follows the primary as simulated. Spec 9.2.2, 9.2.3. */
import { counted } from '../../findings/finding.ts'
import { formatMeasured } from '../../scenario/time.ts'
import type { Cluster } from '../cluster.ts'
import { type Found, readTokens, type TokenBook } from '../steps/tokens.ts'
import { endProof, type Proof, rightsProof } from './proof.ts'
import type { RightsProof } from './rights.ts'
import { distanceMs, type Stall } from './stalls.ts'

export interface SecondaryFound {
  readonly datacenter: string
  readonly endedBy: readonly string[]
  /** Undefined while no server answers the new API. */
  readonly copies: CopyFaults | undefined
  readonly rights: RightsProof | undefined
  /** When the last token here got its accessor, in seconds since the schedule began. */
  readonly completeAt: number | null
  readonly delayMsMax: number
}

export interface SecondarySimulated {
  readonly endsLegacyMode: boolean
  readonly withoutAccessor: number
  readonly completeAt: number | null | undefined
}

interface Tolerance {
  readonly slackMs: number
  readonly share: number
  readonly stalls: readonly Stall[]
}

export function secondaryProofs(
  found: SecondaryFound,
  simulated: SecondarySimulated,
  tolerance: Tolerance,
): readonly Proof[] {
  return [
    endProof(found.endedBy, simulated.endsLegacyMode, found.datacenter),
    ...(found.copies === undefined ? [] : [copyProof(found.datacenter, found.copies, simulated)]),
    ...(found.rights === undefined ? [] : [rightsProof(found.rights, found.datacenter)]),
    ...timeProof(found, simulated, tolerance),
  ]
}

/** Copies that remain without an accessor in the simulation have no counterpart to compare. */
function copyProof(datacenter: string, copies: CopyFaults, simulated: SecondarySimulated): Proof {
  const { withAccessor, withoutAccessor, ghosts, missing, differing, misplaced } = copies
  const expected = simulated.withoutAccessor
  const faults = [
    ...(withoutAccessor === expected ? [] : [`simulated ${expected} without an accessor`]),
    ...(ghosts > 0 && expected === 0 ? [`${counted(ghosts, 'token')} that the primary does not have`] : []),
    ...(missing > 0 && expected === 0 ? [`${counted(missing, 'token')} missing`] : []),
    ...(misplaced > 0 ? [`${counted(misplaced, 'token')} of the token API in the wrong datacenters`] : []),
    ...(differing > 0 ? [`${counted(differing, 'token')} with another accessor than in the primary`] : []),
  ]
  const detail = `${counted(withAccessor, 'token')} with an accessor, ${withoutAccessor} without`
  return {
    name: `the tokens of ${datacenter} match the primary`,
    holds: faults.length === 0,
    detail: [detail, ...faults].join('; '),
  }
}

function timeProof(
  { datacenter, completeAt, delayMsMax }: SecondaryFound,
  simulated: SecondarySimulated,
  { slackMs, share, stalls }: Tolerance,
): readonly Proof[] {
  const show = (at: number | null) => (at === null ? 'never' : `at ${formatMeasured(at * 1_000)}`)
  if (simulated.completeAt === undefined) return []
  const holds =
    completeAt === null || simulated.completeAt === null
      ? completeAt === simulated.completeAt
      : distanceMs(completeAt * 1_000, simulated.completeAt * 1_000, stalls) <=
        slackMs + delayMsMax + share * simulated.completeAt * 1_000
  return [
    {
      name: `the accessors reached ${datacenter} as simulated`,
      holds,
      detail: `the last ${show(completeAt)}, simulated ${show(simulated.completeAt)}`,
    },
  ]
}

type CopyFaults = Awaited<ReturnType<typeof compareTokens>>

export async function compareTokens(
  { primary, book }: { readonly primary: Cluster; readonly book: Pick<TokenBook, 'misplaced'> },
  secondary: Cluster,
) {
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
    misplaced: book.misplaced(copies ?? new Map(), secondary.datacenter),
    differing: count(
      ({ AccessorID }, original) =>
        original !== undefined && AccessorID !== '' && AccessorID !== original.AccessorID,
    ),
  }
}
