import { parseQuestion } from '@latchkey/acl'
import { limits } from '@latchkey/contract'
import { mayIn } from '../caller/caller.ts'
import type { Answer, Call } from '../handler.ts'
import { pageOf } from '../reply/paging.ts'
import { scanTokens } from './scan-tokens.ts'

/** Lists, in pages, the tokens that may do something, in the order of the token list. An extension. */
export async function whoCanHandler(call: Call<'decisions.whoCan'>): Promise<Answer<'decisions.whoCan'>> {
  const question = parseQuestion(call.body)
  const page = pageOf(call.query) ?? { limit: limits.PAGE_LIMIT_MAX, after: undefined }
  return scanTokens(call, page, async (token, turns) => {
    const rights = await call.callers.rightsOf(token, call.directory, turns)
    if (!mayIn({ token, ...rights }, call.namespace, question)) return undefined
    return { AccessorID: token.AccessorID, Description: token.Description }
  })
}
