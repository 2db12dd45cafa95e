/** `latchkey-server replication compare`: finds the records that only an old primary has. Decisions: promotion. */
import { type Changes, HEADER, HEADER_PREFIX_DEFAULT } from '@latchkey/contract'
import { StartError } from '../../start-error.ts'
import { complain, print } from '../print.ts'
import { type Environment, request } from '../server-address.ts'
import { Comparison, type Difference, summarize } from './differences.ts'

const EXIT_DIFFERENT = 1

/**
 * Lists the namespaces, policies, roles and global tokens of an old primary that the server at `LATCHKEY_ADDR` lacks,
 * or has with other content. Prints no secrets.
 *
 * @param old address of a server of the old primary. Requests to it present `LATCHKEY_OLD_TOKEN`, by default
 * `LATCHKEY_TOKEN`.
 * @returns the exit code: 0 nothing is missing, 1 something is.
 * @throws StartError if a server does not answer, or refuses.
 */
export async function compareWithOld(old: string, env: Environment): Promise<number> {
  const oldEnv = { LATCHKEY_ADDR: old, LATCHKEY_TOKEN: env.LATCHKEY_OLD_TOKEN || env.LATCHKEY_TOKEN }
  const comparison = new Comparison()
  for await (const page of copyOf(env)) comparison.add(summarize(page))
  let count = 0
  for await (const page of copyOf(oldEnv)) {
    for (const difference of comparison.differences(summarize(page))) {
      count += 1
      print(`${describe(difference)}\n`)
    }
  }
  complain(count === 0 ? 'Nothing is missing.\n' : `Missing or different: ${count}.\n`)
  return count === 0 ? 0 : EXIT_DIFFERENT
}

async function* copyOf(env: Environment): AsyncGenerator<Changes> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = cursor === '' ? '' : `?cursor=${encodeURIComponent(cursor)}`
    const response: Response = await request('operations.changes', env, { query }).catch((error: Error) => {
      throw new StartError(`${env.LATCHKEY_ADDR ?? 'this server'}: ${error.message}`, { cause: error })
    })
    yield (await response.json()) as Changes
    cursor = response.headers.get(`${HEADER_PREFIX_DEFAULT}${HEADER.nextCursor}`)
  }
}

function describe({ record, is }: Difference): string {
  const { kind, key, label, createTime } = record
  const made = createTime === undefined ? '' : `, created ${createTime}`
  return `${is}: ${kind} ${key} ${JSON.stringify(label)}${made}`
}
