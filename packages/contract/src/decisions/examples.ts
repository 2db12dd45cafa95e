/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { ORDERS_LINK } from '../policies/examples.ts'
import { answer, type ExamplesOf } from '../shared/example.ts'
import { ACCESSOR, BOOTSTRAP_TOKEN } from '../tokens/examples.ts'

const readOrders = { Resource: 'key', Segment: 'orders/1', Access: 'read' } as const

const writeOrders = { ...readOrders, Access: 'write' } as const

const decidedBy = {
  Rule: {
    PolicyID: ORDERS_LINK.ID,
    PolicyName: ORDERS_LINK.Name,
    Kind: 'key_prefix',
    Segment: 'orders/',
    Level: 'read',
    Line: 1,
  },
  Path: ['policy orders-read'],
}

export const examples = {
  authorize: {
    body: [readOrders, writeOrders],
    answers: {
      plain: {
        value: [
          { ...readOrders, Allow: true },
          { ...writeOrders, Allow: false },
        ],
      },
      explain: {
        summary: 'With explain',
        value: [
          { ...readOrders, Allow: true, Explanation: decidedBy },
          { ...writeOrders, Allow: false, Explanation: { ...decidedBy, Missing: writeOrders } },
        ],
      },
    },
  },
  whoCan: answer(
    [
      { AccessorID: BOOTSTRAP_TOKEN.AccessorID, Description: BOOTSTRAP_TOKEN.Description },
      { AccessorID: ACCESSOR, Description: 'shop-web' },
    ],
    readOrders,
  ),
} satisfies ExamplesOf<'decisions'>
