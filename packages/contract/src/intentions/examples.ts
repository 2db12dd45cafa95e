/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const ID = '5b1f0c1e-6f6e-9d2b-2b43-2f6a3c1d9e55'
const INTENTION = {
  ID,
  Description: 'The shop reads orders',
  SourceNS: 'default',
  SourceName: 'shop',
  DestinationNS: 'default',
  DestinationName: 'orders',
  SourceType: 'consul',
  Action: 'allow',
  Precedence: 9,
  CreatedAt: '2026-01-01T00:00:00.000Z',
  UpdatedAt: '2026-01-01T00:00:00.000Z',
  Hash: 'yBWCQn7Ekn2XxkMmVKp3wNkBGZC9k3S1MPVi1hBWyQw=',
  CreateIndex: 12,
  ModifyIndex: 12,
}
/** After an edit through config entries. */
const EDITED = {
  Description: INTENTION.Description,
  SourceNS: 'default',
  SourceName: 'shop',
  DestinationNS: 'default',
  DestinationName: 'orders',
  SourceType: 'consul',
  Action: 'allow',
  Precedence: 9,
  CreateIndex: 12,
  ModifyIndex: 15,
}
const body = {
  SourceName: 'shop',
  DestinationName: 'orders',
  Action: 'allow',
  Description: INTENTION.Description,
}

export const examples = {
  list: answer([INTENTION]),
  create: answer({ ID }, body),
  match: answer({ orders: [INTENTION] }),
  check: answer({ Allowed: true }),
  readExact: answer(EDITED),
  writeExact: answer(true, { Action: 'allow', Description: INTENTION.Description }),
  deleteExact: answer(true),
  read: answer(INTENTION),
  update: answer({ ID }, { ...body, Action: 'deny' }),
  delete: answer(true),
  migration: answer({
    State: 'done',
    Intentions: 1,
    Destinations: 1,
    EstimatedSeconds: 0,
    Since: '2026-01-01T00:00:00.000Z',
  }),
} satisfies ExamplesOf<'intentions'>
