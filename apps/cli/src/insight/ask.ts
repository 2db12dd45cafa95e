/** `can`, `who-can` and `what-if`: questions about rights, which the service answers. */
import type { AuthorizeCheck, TokenReference } from '@latchkey/sdk'
import { CliError, EXIT } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import type { Input } from '../frame/input.ts'
import { findPolicy } from '../records/find.ts'
import { givenRules } from '../records/read-body.ts'
import { describeChange, whatWouldChange } from './confirm-rules.ts'
import { adviceText, describePath, describeRight } from './rights.ts'

/** `read key web/port`. */
function checkOf(input: Input): AuthorizeCheck {
  const [access = '', resource = '', segment] = input.args
  return {
    // The service's error lists the resources and levels that it knows.
    Resource: resource as AuthorizeCheck['Resource'],
    Access: access as AuthorizeCheck['Access'],
    ...(segment === undefined ? {} : { Segment: segment }),
  }
}

export const can: Action = async (session, input) => {
  const client = await session.client()
  const check = checkOf(input)
  const [answer] = await client.authorize([check], { explain: true, accessor: input.text('accessor') })
  if (!session.out.isTable) await session.out.data(answer)
  else {
    const { Allow, Explanation } = answer
    const right = {
      resource: check.Resource,
      access: check.Access,
      ...(check.Segment === undefined ? {} : { segment: check.Segment }),
    }
    const { paint } = session.out
    const verdict = Allow ? paint('green', 'yes') : paint('red', 'no')
    await session.out.text(`${verdict}: ${describeRight(right)}, ${describePath(Explanation)}\n`)
    const advice = adviceText(answer)
    if (advice !== undefined) await session.note(advice)
  }
  return answer.Allow ? EXIT.done : EXIT.denied
}

export const whoCan: Action = async (session, input) => {
  const client = (await session.client()).withMeta()
  const found: TokenReference[] = []
  let cursor: string | undefined
  do {
    const page = await client.whoCan(checkOf(input), { limit: 1_000, cursor })
    found.push(...page.value)
    cursor = page.nextCursor
    session.progress.show(`${found.length} tokens …`)
  } while (cursor !== undefined)
  session.progress.clear()
  const hasNamespaces = found.some(({ Namespace }) => Namespace !== undefined)
  await session.out.list(
    found,
    ['AccessorID', ...(hasNamespaces ? (['Namespace'] as const) : []), 'Description'],
    'No token may do this.',
  )
}

export const whatIf: Action = async (session, input) => {
  const client = await session.client()
  const rules = await givenRules(input, session)
  if (rules === undefined) throw new CliError('the new rules are missing: --rules FILE, or --rule TEXT')
  const policy = await findPolicy(client, input.arg(0))
  const changes = await whatWouldChange(client, policy.ID, rules)
  if (!session.out.isTable) await session.out.data(changes)
  else if (changes.length === 0) await session.note('No token would gain or lose a right.')
  else
    await session.out.text(
      `${changes.map((change) => describeChange(change, session.out.paint)).join('\n')}\n`,
    )
  return changes.length === 0 ? EXIT.done : EXIT.differs
}
