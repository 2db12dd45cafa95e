/** Writes scenario.schema.json and conversion.schema.json from the zod schemas. */
import { join } from 'node:path'
import { generate } from '@latchkey/tools/build/generated'
import { renderPlanSchema } from '../src/convert/files/plan-schema.ts'
import { renderJsonSchema } from '../src/scenario/schema.ts'

const folder = join(import.meta.dirname, '..')
generate([
  { path: join(folder, 'scenario.schema.json'), text: renderJsonSchema() },
  { path: join(folder, 'conversion.schema.json'), text: renderPlanSchema() },
])
