/** An example for each operation, recorded from the service. Tests check each against its schema. */
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
