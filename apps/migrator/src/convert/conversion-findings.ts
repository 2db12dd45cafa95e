/** Findings that an operator must know before a conversion. */

import { agrees, counted, type Finding, type Found } from '../findings/finding.ts'
import { placeText } from '../plan/token-census.ts'
import type { PlannedToken } from './files/plan-schema.ts'
import { hasIdentity } from './identities.ts'
import type { Conversion } from './make-conversion.ts'
import type { ConversionProof } from './proof/prove-conversion.ts'
import type { UpgradeOutcomes } from './proof/simulate-upgrade.ts'

export function findConversion(
  conversion: Conversion,
  {
    proof,
    upgrade,
    unknownLines,
  }: { proof: ConversionProof; upgrade: UpgradeOutcomes; unknownLines: readonly number[] },
): Finding[] {
  return [
    findDifferences(proof),
    findUnconvertible(conversion),
    findRejected(conversion),
    findIdentities(conversion, proof),
    findEdited(conversion),
    findStage(conversion, unknownLines),
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

function findIdentities({ groups, identitiesLeft }: Conversion, { leftOut }: ConversionProof): Finding[] {
  const found: Finding[] = []
  const count = groups.filter(hasIdentity).reduce((sum, { tokens }) => sum + tokens.length, 0)
  if (leftOut > 0)
    found.push({
      id: 'identities-leave-out',
      severity: 'warning',
      count,
      detail: `${counted(count, 'token')} with an identity ${agrees(count, 'loses', 'lose')} the right to register names that only begin with its own, and that of a node to its agent, such as reload, leave and agent self: ${counted(leftOut, 'decision')} of the proof`,
      avoid:
        'Give operators their own token for agents. Without --identities, every token gets a policy with the same rights.',
    })
  if (identitiesLeft > 0)
    found.push({
      id: 'identities-possible',
      severity: 'info',
      count: identitiesLeft,
      detail: `the rules of ${counted(identitiesLeft, 'group')} are those of a node or service identity with longer names, but become a policy: ${agrees(identitiesLeft, 'its name is', 'their names are')} not in the answers of --identities, or a longer name there has no such rules of its own`,
      avoid: 'To have fewer policies, give the nodes of every datacenter and the services with --identities.',
    })
  return found
}

function findEdited({ edited }: Conversion): Found {
  const [first] = edited
  if (first === undefined) return []
  const count = edited.length
  return {
    id: 'policies-edited',
    severity: 'warning',
    count,
    detail: `${count === 1 ? '1 policy' : `${count} policies`} of an earlier conversion ${agrees(count, 'has', 'have')} other rules, name or datacenters now: ${JSON.stringify(first)}; the tokens that are left get a policy of their own`,
    avoid: 'If the edit is meant for these tokens, too, link the edited policy by hand.',
  }
}

function findStage({ waiting }: Conversion, unknownLines: readonly number[]): Finding[] {
  const found: Finding[] = []
  if (waiting.length > 0)
    found.push({
      id: 'tokens-waiting',
      severity: 'warning',
      count: waiting.length,
      detail: `${counted(waiting.length, 'token')} ${agrees(waiting.length, 'waits', 'wait')} for a later stage`,
      avoid: 'Convert them before 1.11; the simulated upgrade comes after the last stage.',
    })
  const [line] = unknownLines
  if (line !== undefined)
    found.push({
      id: 'rows-unknown',
      severity: 'warning',
      count: unknownLines.length,
      detail: `${counted(unknownLines.length, 'row')} of --only ${agrees(unknownLines.length, 'names', 'name')} no token of the dump, first in line ${line}`,
      avoid: 'Check that the list and the dump are of the same cluster; deleted tokens need nothing.',
    })
  return found
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
