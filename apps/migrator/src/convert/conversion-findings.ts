/** Findings that an operator must know before a conversion. */

import { agrees, counted, type Finding, type Found } from '../findings/finding.ts'
import { placeText } from '../plan/token-census.ts'
import type { PlannedToken } from './files/plan-schema.ts'
import type { Conversion } from './make-conversion.ts'
import type { ConversionProof } from './proof/prove-conversion.ts'
import type { UpgradeOutcomes } from './proof/simulate-upgrade.ts'

export function findConversion(
  conversion: Conversion,
  { proof, upgrade }: { proof: ConversionProof; upgrade: UpgradeOutcomes },
): Finding[] {
  return [
    findDifferences(proof),
    findUnconvertible(conversion),
    findRejected(conversion),
    upgrade.converted.findings,
    findHashes(conversion),
  ].flat()
}

function findDifferences({ differenceCount, differences: [first] }: ConversionProof): Found {
  if (first === undefined) return []
  return {
    id: 'conversion-changes-decisions',
    severity: 'critical',
    count: differenceCount,
    detail: `${counted(differenceCount, 'decision')} of ${placeText({ ...first.token, detail: '' })} and others would change: ${JSON.stringify(first.question)}`,
    avoid: 'Do not apply the conversion. This is a bug in the migrator: please report it.',
  }
}

function findUnconvertible({ unconvertible }: Conversion): Found {
  const [first] = unconvertible
  if (first === undefined) return []
  const count = unconvertible.length
  return {
    id: 'tokens-unconvertible',
    severity: 'critical',
    count,
    detail: `${counted(count, 'token')} with rules that cannot be read or mean something else in Latchkey ${agrees(count, 'stays', 'stay')} unconverted: ${placeText({ ...first.token, detail: '' })}: ${first.reason}`,
    avoid: 'Correct the rules through the legacy API, or delete the tokens, and convert again.',
  }
}

function findRejected({ groups }: Conversion): Found {
  const rejected = groups.filter(({ rejected: isRejected }) => isRejected)
  if (rejected.length === 0) return []
  const count = rejected.reduce((sum, { tokens }) => sum + tokens.length, 0)
  return {
    id: 'tokens-rejected',
    severity: 'warning',
    count,
    detail: `${counted(count, 'token')} of ${counted(rejected.length, 'rejected group')} ${agrees(count, 'stays', 'stay')} unconverted`,
    avoid: 'Delete these tokens, or convert them by hand before 1.11.',
  }
}

/** The script finds tokens by a shortened hash of the ID, which must be unique. */
function findHashes({ groups, management, cleared }: Conversion): Found {
  const seen = new Map<string, PlannedToken>()
  const alike: PlannedToken[] = []
  for (const token of [...groups.flatMap(({ tokens }) => tokens), ...management, ...cleared]) {
    if (token.accessor !== undefined) continue
    if (seen.has(token.idHash)) alike.push(token)
    seen.set(token.idHash, token)
  }
  if (alike.length === 0) return []
  return {
    id: 'id-hashes-equal',
    severity: 'warning',
    count: alike.length,
    detail: `${counted(alike.length, 'token')} ${agrees(alike.length, 'has', 'have')} the same shortened hash as another token; apply.sh stops there`,
    avoid: 'Pass the token list of the token API with --accessors, and apply.sh names tokens by accessor.',
  }
}
