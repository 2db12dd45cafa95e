/** The losses of restoring a snapshot: everything that the history recorded in the datacenter after it. */
import { counted } from '../findings/finding.ts'
import type { History } from '../simulate/history.ts'
import { size } from '../simulate/tokens/ranges.ts'

export interface Losses {
  /** Tokens that were created, edited or converted since the snapshot. */
  readonly created: number
  readonly edited: number
  readonly converted: number
  /** Tokens that were deleted since the snapshot, and exist again after the restore. */
  readonly deleted: number
  /** Tokens that were created through the token API. */
  readonly createdByNewApi: number
  /** Tokens that get a different accessor in the next attempt. */
  readonly accessors: number
}

/**
 * A secondary loses only its local tokens, because other tokens are replicated again.
 *
 * @param until milliseconds, inclusive.
 */
export function lossesBetween(
  history: History,
  datacenter: string,
  { snapshotAt, until }: { readonly snapshotAt: number; readonly until: number },
): Losses {
  const isPrimary = datacenter === history.primary
  const losses = { created: 0, edited: 0, converted: 0, deleted: 0, createdByNewApi: 0, accessors: 0 }
  for (const each of history.records) {
    if (each.at <= snapshotAt || each.at > until) continue
    if (each.kind === 'new-tokens' && each.refused === undefined) {
      const isHere = each.isLocal ? each.datacenter === datacenter : isPrimary
      if (isHere) losses.createdByNewApi += each.count
    }
    if (!isPrimary) continue
    if (each.kind === 'tokens' && each.refused === undefined) losses[each.action] += size(each.tokens)
    if (each.kind === 'batch') losses.accessors += size(each.tokens)
  }
  return losses
}

/** One phrase for each kind of loss. */
export function lossTexts(losses: Losses): string[] {
  const { created, edited, converted, deleted, createdByNewApi, accessors } = losses
  const are = (count: number) => (count === 1 ? 'is' : 'are')
  const texts: readonly (readonly [number, string])[] = [
    [created, `${counted(created, 'token')} that clients created ${are(created)} gone`],
    [
      createdByNewApi,
      `${counted(createdByNewApi, 'token')} created through the token API ${are(createdByNewApi)} gone`,
    ],
    [edited, `${counted(edited, 'token edit')} ${are(edited)} gone`],
    [
      converted,
      `${counted(converted, 'token')} ${converted === 1 ? 'has' : 'have'} rules instead of policies again`,
    ],
    [deleted, `${counted(deleted, 'deleted token')} ${deleted === 1 ? 'is' : 'are'} valid again`],
    [
      accessors,
      `${counted(accessors, 'accessor')} ${are(accessors)} gone, and the next attempt assigns different ones`,
    ],
  ]
  return texts.flatMap(([count, text]) => (count > 0 ? [text] : []))
}
