/** Proves that tokens have the same rights at two services: asks both, as each token, what its rules decide about. */
import {
  ANONYMOUS_TOKEN_ACCESSOR_ID,
  accessesOf,
  nodeIdentityRules,
  parseRules,
  probeQuestions,
  type Question,
  type Rule,
  serviceIdentityRules,
} from '@latchkey/acl'
import { limits, SCALAR_RESOURCES, SEGMENT_RESOURCES } from '@latchkey/contract'
import { type Client, PermissionDenied } from '@latchkey/sdk'
import { inTurns } from '../folder/kinds.ts'
import type { Fields } from '../records/find.ts'
import type { Records } from './read-source.ts'

export interface Comparison {
  readonly tokens: number
  readonly questions: number
  /** Absent if the answers are equal. */
  readonly differences: readonly string[]
}

/** A name that no rule is likely to have. */
const UNNAMED = 'latchkey-import-probe'

/**
 * Asks about every rule of a token, each name and one below each prefix, and about every kind once. Of tokens with the same
 * links, all questions are put to the first, and those of one request to each of the others.
 */
export async function compareDecisions(
  records: Records,
  { there, here, onProgress }: Record<'there' | 'here', Client> & { onProgress(text: string): void },
): Promise<Comparison> {
  const known = await knownBy([there, here])
  const isKnown = ({ resource, access }: Question) => known.has(`${resource} ${access}`)
  const asked = new Map<string, readonly Question[]>()
  const differences: string[] = []
  let questions = 0
  let done = 0
  await inTurns(records.token, async (token) => {
    const { AccessorID, SecretID, Policies, Roles, ServiceIdentities, NodeIdentities } = token
    const rights = JSON.stringify([Policies, Roles, ServiceIdentities, NodeIdentities])
    const isFirst = !asked.has(rights)
    const all =
      asked.get(rights) ??
      [...BASE, ...probeQuestions({ rules: [] }, { rules: rulesOf(token, records) })].filter(isKnown)
    asked.set(rights, all)
    const secret = AccessorID === ANONYMOUS_TOKEN_ACCESSOR_ID ? undefined : String(SecretID)
    for (let i = 0; i < (isFirst ? all.length : 1); i += limits.AUTHORIZE_CHECKS_MAX) {
      const batch = all.slice(i, i + limits.AUTHORIZE_CHECKS_MAX)
      const [old, own] = await Promise.all(
        [there, here].map((each) => answersOf(each.withToken(secret), batch)),
      )
      questions += batch.length
      const differing = batch.filter((_, at) => old?.[at] !== own?.[at])
      differences.push(
        ...differing.map((question) => {
          const at = batch.indexOf(question)
          return `token ${AccessorID}: ${describe(question)} is ${old?.[at]} there and ${own?.[at]} here`
        }),
      )
    }
    done += 1
    onProgress(`comparing the decisions of ${done} of ${records.token.length} tokens …`)
  })
  return { tokens: done, questions, differences }
}

const BASE: readonly Question[] = [...SCALAR_RESOURCES, ...SEGMENT_RESOURCES].flatMap((resource) =>
  accessesOf(resource).map((access) => ({
    ...{ resource, access },
    ...(SEGMENT_RESOURCES.some((each) => each === resource) ? { segment: UNNAMED } : {}),
  })),
)

/** The kinds and accesses that every service answers; versions differ. */
async function knownBy(clients: readonly Client[]): Promise<Set<string>> {
  const found = await inTurns(BASE, async (question) => {
    const answers = clients.map((client) => client.authorize([checkOf(question)]))
    return (await Promise.allSettled(answers)).every(({ status }) => status === 'fulfilled')
  })
  return new Set(BASE.filter((_, i) => found[i]).map(({ resource, access }) => `${resource} ${access}`))
}

function checkOf({ resource, access, segment }: Question) {
  return { Resource: resource, Access: access, ...(segment === undefined ? {} : { Segment: segment }) }
}

async function answersOf(client: Client, questions: readonly Question[]): Promise<readonly string[]> {
  try {
    const answers = await client.authorize(questions.map(checkOf))
    return answers.map(({ Allow }) => (Allow ? 'allowed' : 'denied'))
  } catch (error) {
    if (!(error instanceof PermissionDenied)) throw error
    return questions.map(() => 'unknown')
  }
}

function describe({ resource, segment, access }: Question): string {
  return `${resource}${segment === undefined ? '' : ` ${JSON.stringify(segment)}`} ${access}`
}

/** The rules that a token has from its links, roles and identities. */
function rulesOf(token: Fields, { policy, role }: Records): Rule[] {
  const linked = (links: unknown, records: readonly Fields[]) =>
    listOf(links).flatMap(({ ID }) => records.filter((record) => record.ID === ID))
  const holders = [token, ...linked(token.Roles, role)]
  const texts = holders.flatMap((holder) => [
    ...linked(holder.Policies, policy).map(({ Rules }) => String(Rules)),
    ...listOf(holder.ServiceIdentities).map(({ ServiceName }) => serviceIdentityRules(String(ServiceName))),
    ...listOf(holder.NodeIdentities).map(({ NodeName }) => nodeIdentityRules(String(NodeName))),
  ])
  return [...new Set(texts)].flatMap(readRules)
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value : []
}

function readRules(text: string): readonly Rule[] {
  try {
    return parseRules(text, { lenient: true }).rules
  } catch {
    return []
  }
}
