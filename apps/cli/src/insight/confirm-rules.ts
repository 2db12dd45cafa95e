/** Shows what new rules would change before they are written. */
import { visibleLine } from '@latchkey/contract/plain'
import * as sdk from '@latchkey/sdk'
import type { Session } from '../frame/session.ts'
import { describeRight } from './rights.ts'

const PAGE_SIZE = 100
const SHOWN_MAX = 10

export async function whatWouldChange(
  client: sdk.Client,
  policyId: string,
  rules: string,
): Promise<sdk.WhatIfChange[]> {
  const paged = client.withMeta()
  const changes: sdk.WhatIfChange[] = []
  let cursor: string | undefined
  do {
    const page = await paged.policies.whatIf(policyId, rules, { limit: PAGE_SIZE, cursor })
    changes.push(...page.value)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return changes
}

/** Lists who gains or loses rights, and asks on a terminal. Scripts need no confirmation: an update is no deletion. */
export async function confirmRules(existing: sdk.Policy, rules: string, session: Session): Promise<void> {
  if (!session.isInteractive) return
  const changes = await whatWouldChange(await session.client(), existing.ID, rules).catch(noForecast)
  if (changes === undefined || changes.length === 0) return
  const shown = changes.slice(0, SHOWN_MAX).map((change) => describeChange(change, session.paint))
  const more = changes.length > SHOWN_MAX ? `\n… and ${changes.length - SHOWN_MAX} more` : ''
  const tokens = changes.length === 1 ? '1 token' : `${changes.length} tokens`
  await session.note(`${shown.join('\n')}${more}`)
  await session.confirm(`These rules change the rights of ${tokens}. Save them?`)
}

/** Rules that cannot be compared are written anyway, and the service accepts or refuses them. */
function noForecast(error: unknown): undefined {
  if (error instanceof sdk.Invalid || error instanceof sdk.NotFound || error instanceof sdk.PermissionDenied)
    return undefined
  throw error
}

/** A token, followed by a line for every right that it gains or loses. */
export function describeChange(
  { AccessorID, Description, Gains, Losses }: sdk.WhatIfChange,
  paint: (style: 'green' | 'red' | 'bold', text: string) => string,
): string {
  const name = Description === '' ? AccessorID : `${AccessorID} (${visibleLine(Description)})`
  const right = (mark: string, { Resource, Segment, Access }: sdk.WhatIfChange['Gains'][number]) =>
    `  ${mark} ${describeRight({ resource: Resource, access: Access, ...(Segment === undefined ? {} : { segment: Segment }) })}`
  return [
    paint('bold', name),
    ...Gains.map((gain) => paint('green', right('+', gain))),
    ...Losses.map((loss) => paint('red', right('-', loss))),
  ].join('\n')
}
