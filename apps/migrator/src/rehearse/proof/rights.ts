/** Checks that after the upgrade, every secret has exactly the rights that its legacy rules granted. */
import {
  ANONYMOUS_TOKEN_SECRET_ID,
  type Authorizer,
  authorizerOf,
  EMPTY_DIRECTORY,
  fromLegacyToken,
  parseLegacyRules,
  probeQuestions,
  type Question,
} from '@latchkey/acl'
import { AclError, type LegacyToken, limits } from '@latchkey/contract'
import type { Cluster } from '../cluster.ts'
import { PRESENTABLE } from '../workloads.ts'

export type RightsProof = Awaited<ReturnType<typeof proveRights>>

const COMMON: readonly Question[] = [
  { resource: 'acl', access: 'read' },
  { resource: 'acl', access: 'write' },
  { resource: 'operator', access: 'read' },
  { resource: 'key', segment: 'latchkey/rehearsal', access: 'read' },
  { resource: 'key', segment: 'latchkey/rehearsal', access: 'write' },
]

const DIFFERENCES_MAX = 50
const CONCURRENCY = 16

/** Compares what the running service says each token may do with the legacy evaluation of its rules. */
export async function proveRights(
  cluster: Cluster,
  tokens: readonly LegacyToken[],
  options: {
    readonly datacenter: string
    readonly defaultPolicy: 'allow' | 'deny'
    readonly signal: AbortSignal
  },
) {
  const differences: string[] = []
  let asked = 0
  let notPresentable = 0
  const queue = tokens.entries()
  const prove = async () => {
    for (const [position, token] of queue) {
      options.signal.throwIfAborted()
      if (!PRESENTABLE.test(token.ID)) {
        notPresentable += 1
        continue
      }
      const questions = questionsOf(token)
      asked += questions.length
      const expected = authorizerOf(fromLegacyToken(token), EMPTY_DIRECTORY, options)
      const found = await compare(cluster, token, questions, expected)
      differences.push(...found.map((text) => `token ${position}: ${text}`))
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, prove))
  return {
    tokens: tokens.length,
    questions: asked,
    // Tokens whose secret is not valid in a header, so that no client can send it over HTTP.
    notPresentable,
    // One sentence each, by position in the dump; never a secret.
    differences: differences.slice(0, DIFFERENCES_MAX),
  }
}

function questionsOf({ Type, Rules }: LegacyToken): readonly Question[] {
  if (Type === 'management') return COMMON
  try {
    return [...COMMON, ...probeQuestions(parseLegacyRules(Rules), { rules: [] })]
  } catch (error) {
    // Rules that cannot be parsed deny everything, before and after the upgrade.
    if (error instanceof AclError) return COMMON
    throw error
  }
}

async function compare(
  cluster: Cluster,
  token: LegacyToken,
  questions: readonly Question[],
  expected: Authorizer,
): Promise<readonly string[]> {
  // Requests without a token have the rights of the anonymous token.
  const client = cluster.client(token.ID === ANONYMOUS_TOKEN_SECRET_ID ? '' : token.ID)
  const found: string[] = []
  for (let start = 0; start < questions.length; start += limits.AUTHORIZE_CHECKS_MAX) {
    const part = questions.slice(start, start + limits.AUTHORIZE_CHECKS_MAX)
    const answers = await client.authorize(part.map(showCheck))
    for (const [i, question] of part.entries()) {
      const allowed = answers[i]?.Allow
      if (allowed === expected.decide(question)) continue
      const { resource, segment, access } = question
      const on = segment === undefined ? '' : ` on ${JSON.stringify(segment)}`
      found.push(`${allowed ? 'gained' : 'lost'} ${resource}:${access}${on}`)
    }
  }
  return found
}

function showCheck({ resource, segment, access }: Question) {
  return { Resource: resource, Access: access, ...(segment === undefined ? {} : { Segment: segment }) }
}
