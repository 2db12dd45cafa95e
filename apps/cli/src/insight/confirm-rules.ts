/** Shows what new rules would change before they are written. */
import { visibleLine } from '@latchkey/contract/plain'
import {
  type Client,
  Invalid,
  NotFound,
  PermissionDenied,
  type Policy,
  type WhatIfChange,
} from '@latchkey/sdk'
import type { Session } from '../frame/session.ts'
import { describeRight } from './rights.ts'

/** Maximum number of changes per request. */
const PAGE_SIZE = 100
/** Maximum number of tokens to show in a prompt. */
const SHOWN_MAX = 10

/** All tokens whose rights the rules would change. */
export async function whatWouldChange(
  client: Client,
  policyId: string,
  rules: string,
): Promise<WhatIfChange[]> {
  const paged = client.withMeta()
  const changes: WhatIfChange[] = []
  let cursor: string | undefined
  do {
    const page = await paged.policies.whatIf(policyId, rules, { limit: PAGE_SIZE, cursor })
    changes.push(...page.value)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return changes
}

/**
 * Before a policy update, lists the tokens that gain or lose rights, and asks for confirmation on a terminal. Scripts
 * need no confirmation, because an update is not a deletion.
 */
export async function confirmRules(existing: Policy, rules: string, session: Session): Promise<void> {
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
  if (error instanceof Invalid || error instanceof NotFound || error instanceof PermissionDenied)
    return undefined
  throw error
}

/** A token, followed by a line for every right that it gains or loses. */
export function describeChange(
  { AccessorID, Description, Gains, Losses }: WhatIfChange,
  paint: (style: 'green' | 'red' | 'bold', text: string) => string,
): string {
  const name = Description === '' ? AccessorID : `${AccessorID} (${visibleLine(Description)})`
  const right = (mark: string, { Resource, Segment, Access }: WhatIfChange['Gains'][number]) =>
    `  ${mark} ${describeRight({ resource: Resource, access: Access, ...(Segment === undefined ? {} : { segment: Segment }) })}`
  return [
    paint('bold', name),
    ...Gains.map((gain) => paint('green', right('+', gain))),
    ...Losses.map((loss) => paint('red', right('-', loss))),
  ].join('\n')
}
