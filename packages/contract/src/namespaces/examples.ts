/** An example for every operation, as the service really answered. Tests hold each to the schema of its place. */
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
