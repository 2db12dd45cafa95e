/** `txn`: several operations on keys, nodes, services and checks, atomically. */
import { EXIT } from '../exit-codes.ts'
import type { Action } from '../frame/command-spec.ts'
import { readRecord } from '../records/read-body.ts'

export const txn: Action = async (session, input) => {
  const { transactionSchema } = await import('@latchkey/contract')
  const operations = await readRecord(input.arg(0), transactionSchema, session)
  const outcome = await (await session.client()).txn.apply(operations)
  if (outcome.committed) {
    await session.out.data(outcome.results)
    return EXIT.done
  }
  await session.out.data(outcome.errors)
  await session.note('Nothing was written.')
  return EXIT.conflict
}
