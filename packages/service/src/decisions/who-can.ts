/** Who can do something: a bounded scan over the tokens of a namespace, which what-if shares. Extensions. */
import { isGone, parseQuestion, type TokenRecord } from '@latchkey/acl'
import { limits } from '@latchkey/contract'
import { mayIn } from '../caller/caller.ts'
import { type Context, type Handler, type JsonAnswer, json } from '../handler.ts'
import { formatCursor, type Page, pageOf } from '../reply/paging.ts'
import { checkWanted, STEPS_PER_TURN, StepCounter } from '../turns.ts'

export const whoCanHandler: Handler<'decisions.whoCan'> = async (call) => {
  const question = parseQuestion(call.body)
  const page = pageOf(call.query) ?? { limit: limits.PAGE_LIMIT_MAX, after: undefined }
  return scanTokens(call, page, async (token, counter) => {
    const rights = await call.callers.rightsOf(token, call.directory, counter)
    if (!mayIn({ token, ...rights }, call.namespace, question)) return undefined
    return { AccessorID: token.AccessorID, Description: token.Description }
  })
}

const TOKENS_LOOKED_AT_MAX = 10_000
/** Maximum steps of one call: about a second. */
const STEPS_MAX = 250_000
const STEPS_PER_TOKEN = 10

/**
 * Scans the tokens of the namespace from a position in the list and collects the results of `show`, up to a page. One call
 * is bounded by tokens and steps; the cursor continues after it.
 * @param isFull whether the page ends here, before its limit.
 * @throws AclError `unavailable` if the client has disconnected, or too many requests wait.
 */
export function scanTokens<T>(
  call: Context,
  page: Page,
  show: (token: TokenRecord, counter: StepCounter) => Promise<T | undefined>,
  isFull: () => boolean = () => false,
): Promise<JsonAnswer<T[]>> {
  return call.walks.run(async () => {
    checkWanted(call.signal)
    const found: T[] = []
    const counter = new StepCounter(call)
    let last: TokenRecord | undefined
    let looked = 0
    const filter = {
      namespace: call.namespace,
      ...(page.after ? { after: page.after } : {}),
      limit: TOKENS_LOOKED_AT_MAX,
    }
    const isEnd = () => found.length >= page.limit || counter.steps >= STEPS_MAX || isFull()
    const answer = (isMore: boolean): JsonAnswer<T[]> =>
      isMore && last
        ? { ...json<T[]>(found), nextCursor: formatCursor(call.service.store.placeOf(last)) }
        : json<T[]>(found)
    for await (const tokens of call.service.store.tokens(filter)) {
      for (const token of tokens) {
        // Resolving rights that are not cached may take a whole turn.
        await counter.count(call.callers.knows(token, call.directory) ? STEPS_PER_TOKEN : STEPS_PER_TURN)
        looked += 1
        last = token
        const shown = isGone(token, call.now, call.directory) ? undefined : await show(token, counter)
        if (shown !== undefined) found.push(shown)
        if (isEnd()) return answer(true)
      }
    }
    return answer(looked >= TOKENS_LOOKED_AT_MAX)
  }, call)
}
