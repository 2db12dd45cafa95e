/** An example for each operation, recorded from the service. Tests check each against its schema. */
import { answer, type ExamplesOf } from '../shared/example.ts'
import type { LegacyToken } from './schemas.ts'

const LEGACY_TOKEN: LegacyToken = {
  ID: '5070ae60-25b6-89c2-f547-68b660313d63',
  Name: 'old',
  Type: 'client',
  Rules: 'key "" { policy = "read" }',
  CreateIndex: 10,
  ModifyIndex: 10,
}

const legacyBody = { Name: 'old', Type: 'client', Rules: LEGACY_TOKEN.Rules }

const legacyId = { ID: LEGACY_TOKEN.ID }

export const examples = {
  translate: answer(
    'key_prefix "orders/" {\n  policy = "read"\n}\n',
    'key "orders/" {\n  policy = "read"\n}\n',
  ),
  translateToken: answer('key_prefix "" {\n  policy = "read"\n}\n'),
  create: answer(legacyId, legacyBody),
  update: answer(legacyId, { ...legacyBody, ...legacyId, Name: 'older' }),
  destroy: answer(true),
  info: answer([LEGACY_TOKEN]),
  clone: answer({ ID: 'ca2e4ab1-8b62-9b37-11bb-0e94e7ac2a9f' }),
  list: answer([LEGACY_TOKEN]),
  import: answer({ Imported: 1, Unchanged: 0, Problems: [] }, [LEGACY_TOKEN]),
  export: answer([LEGACY_TOKEN]),
} satisfies ExamplesOf<'legacy'>
