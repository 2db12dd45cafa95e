/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const session = {
  ID: '0c9ad4f1-2f4e-4f4b-8d5c-6f4e6f6f0a11',
  Name: 'reindex',
  Node: 'worker-1',
  LockDelay: 15_000_000_000,
  Behavior: 'release' as const,
  TTL: '15s',
  NodeChecks: ['serfHealth'],
  ServiceChecks: null,
  CreateIndex: 41,
  ModifyIndex: 41,
}

export const examples = {
  create: answer({ ID: session.ID }, { Name: 'reindex', Node: 'worker-1', TTL: '15s' }),
  destroy: answer(true),
  info: answer([session]),
  node: answer([session]),
  list: answer([session]),
  renew: answer([session]),
} satisfies ExamplesOf<'sessions'>
