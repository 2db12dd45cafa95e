/** An example for each operation, recorded from the service. Tests check each against its schema. */
import type { ExamplesOf } from '../shared/example.ts'

const STORED = { CreateIndex: 9, ModifyIndex: 12 }

export const examples = {
  apply: {
    body: [
      { KV: { Verb: 'check-index', Key: 'orders/next', Index: 9 } },
      { KV: { Verb: 'set', Key: 'orders/next', Value: 'Mg==' } },
    ],
    answers: {
      made: {
        summary: 'All operations are applied',
        value: {
          Results: [
            {
              KV: {
                LockIndex: 0,
                Key: 'orders/next',
                Flags: 0,
                Value: null,
                CreateIndex: 9,
                ModifyIndex: 9,
              },
            },
            { KV: { LockIndex: 0, Key: 'orders/next', Flags: 0, Value: null, ...STORED } },
          ],
          Errors: null,
        },
      },
      refused: {
        summary: 'Status 409: one operation fails, so none is applied',
        value: {
          Results: null,
          Errors: [
            { OpIndex: 0, What: 'failed index check for key "orders/next", current modify index 12 != 9' },
          ],
        },
      },
    },
  },
} satisfies ExamplesOf<'txn'>
