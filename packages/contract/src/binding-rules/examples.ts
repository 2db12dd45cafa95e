/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'

const content = {
  Description: 'Deployments from main',
  AuthMethod: 'ci',
  Selector: 'value.ref == main and "deploy" in list.groups',
  BindType: 'service',
  BindName: '${value.project}-web',
}

const RULE = {
  ID: '3b1d3d2e-7a40-4a5b-9f0c-5ad9f6f1b6a1',
  ...content,
  CreateIndex: 11,
  ModifyIndex: 11,
}

export const examples = {
  create: answer(RULE, content),
  read: answer(RULE),
  update: answer(
    { ...RULE, Description: 'Deployments', ModifyIndex: 12 },
    { ...content, Description: 'Deployments' },
  ),
  delete: answer(true),
  list: answer([RULE]),
} satisfies ExamplesOf<'bindingRules'>
