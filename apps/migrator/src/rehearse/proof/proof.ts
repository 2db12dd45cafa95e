/** The proofs that the primary and each secondary have in common. */
import type { RightsProof } from './rights.ts'

export interface Proof {
  readonly name: string
  readonly holds: boolean
  readonly detail: string
}

export function proof(name: string, faults: readonly string[], detail: string): Proof {
  return { name, holds: faults.length === 0, detail: faults.join('; ') || detail }
}

export function matches(name: string, holds: boolean, measured: string, simulated: string): Proof {
  return { name, holds, detail: holds ? measured : `${measured}; simulated ${simulated}` }
}

/** @param where the name of a secondary; empty for the primary. */
export function rightsProof(
  { differences, questions, tokens, notPresentable }: RightsProof,
  where = '',
): Proof {
  const skipped = notPresentable > 0 ? `; ${notPresentable} secrets cannot be sent over HTTP` : ''
  const detail = `${questions} checks on ${tokens} tokens, no difference${skipped}`
  return proof(`no secret gained or lost a right${where && ` in ${where}`}`, differences, detail)
}

/** @param where the name of a secondary; empty for the primary. */
export function endProof(endedBy: readonly string[], endsLegacyMode: boolean, where = ''): Proof {
  const detail = endedBy.length === 0 ? 'it has not ended' : `by server ${endedBy.join(', ')}`
  const subject = `legacy mode${where && ` of ${where}`}`
  return endsLegacyMode
    ? { name: `${subject} ended once`, holds: endedBy.length === 1, detail }
    : { name: `${subject} did not end, as simulated`, holds: endedBy.length === 0, detail }
}
