/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const ENTRY = {
  Kind: 'service-intentions',
  Name: 'orders',
  Sources: [
    {
      Name: 'shop',
      Action: 'allow',
      Precedence: 9,
      Type: 'consul',
      Description: 'The shop reads orders',
    },
  ],
  CreateIndex: 12,
  ModifyIndex: 15,
}

export const examples = {
  write: answer(true, {
    Kind: 'service-intentions',
    Name: 'orders',
    Sources: [{ Name: 'shop', Action: 'allow', Description: 'The shop reads orders' }],
  }),
  list: answer([ENTRY]),
  read: answer(ENTRY),
  delete: answer({}),
} satisfies ExamplesOf<'configEntries'>
