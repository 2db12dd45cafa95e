/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const NAMESPACE = {
  Name: 'team-a',
  Description: 'Everything of team A',
  ACLs: { PolicyDefaults: [], RoleDefaults: [] },
  CreateIndex: 12,
  ModifyIndex: 12,
}

export const examples = {
  create: answer(NAMESPACE, { Name: 'team-a', Description: 'Everything of team A' }),
  read: answer(NAMESPACE),
  update: answer({ ...NAMESPACE, Description: 'Team A', ModifyIndex: 14 }, { Description: 'Team A' }),
  delete: answer(true),
  list: answer([NAMESPACE]),
} satisfies ExamplesOf<'namespaces'>
