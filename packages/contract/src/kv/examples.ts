/** An example for every operation, as the service really answered. Tests hold each to the schema of its place. */
import { answer, type ExamplesOf } from '../shared/example.ts'

export const examples = {
  read: {
    answers: {
      entry: {
        summary: 'One key',
        value: [
          { LockIndex: 0, Key: 'orders/1', Flags: 0, Value: 'aGVsbG8=', CreateIndex: 9, ModifyIndex: 9 },
        ],
      },
      keys: { summary: 'With keys', value: ['orders/1', 'orders/2'] },
    },
  },
  write: answer(true, 'hello'),
  delete: answer(true),
} satisfies ExamplesOf<'kv'>
