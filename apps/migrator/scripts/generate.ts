/** Writes scenario.schema.json from the zod schema. */
import { join } from 'node:path'
import { generate } from '@latchkey/testkit/packaging/generated'
import { renderJsonSchema } from '../src/scenario/json-schema.ts'

generate([{ path: join(import.meta.dirname, '../scenario.schema.json'), text: renderJsonSchema() }])
