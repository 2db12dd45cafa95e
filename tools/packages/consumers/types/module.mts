// A consumer in TypeScript: an ES module that touches every part of the types.
import {
  type Client,
  createClient,
  Invalid,
  LoginFailed,
  type Session,
  type Token,
  valueText,
  type WithMeta,
} from '@latchkey/sdk'
import { completeLogin } from '@latchkey/sdk/browser'
import { requireAccess as expressAccess } from '@latchkey/sdk/express'
import { requireAccess as fastifyAccess } from '@latchkey/sdk/fastify'
import { requireAccess as honoAccess } from '@latchkey/sdk/hono'
import { loginThroughBrowser } from '@latchkey/sdk/node'

const client: Client = createClient({ address: 'http://127.0.0.1:1', token: () => undefined })

export async function describe(accessorId: string): Promise<string> {
  const signal = AbortSignal.timeout(1_000)
  try {
    const token: Token = await client.tokens.read(accessorId, { consistency: 'stale', signal })
    const full: WithMeta<Token> = await client.withMeta().tokens.self()
    const [answer] = await client.authorize([{ Resource: 'key', Segment: 'a', Access: 'read' }])
    for await (const { value, index } of client.tokens.watch(accessorId)) {
      return `${token.Description} ${full.index} ${answer.Allow} ${value?.Hash} ${index}`
    }
    return valueText(await client.kv.get('a'))
  } catch (error) {
    if (error instanceof Invalid) return `${error.kind} ${error.field}`
    throw error
  }
}

export async function logIn(redirectUris: readonly string[]): Promise<Session | string | undefined> {
  try {
    await using session = await loginThroughBrowser(client, {
      method: 'people',
      redirectUris,
      open: () => {},
    })
    return (await completeLogin(client)) ?? session.accessorId
  } catch (error) {
    return error instanceof LoginFailed ? error.reason : undefined
  }
}

// @ts-expect-error the types are real ones: a mistake does not compile
void client.tokens.create({ Desciption: 'x' })

// A library exports these without annotations, so its declarations name their types.
const MAY_READ = { resource: 'key', access: 'read' } as const
export const guards = [
  expressAccess(client, MAY_READ),
  fastifyAccess(client, MAY_READ),
  honoAccess(client, MAY_READ),
] as const
export const { coordinates, health } = client
export const nodesOf = (...[options]: Parameters<typeof coordinates.nodes>) => ({ options })
export const checksOf = (...[node, options]: Parameters<typeof health.node>) => ({ node, options })
