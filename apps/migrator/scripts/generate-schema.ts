/** Writes scenario.schema.json from the zod schema. A test holds the file to it. */
import { writeFileSync } from 'node:fs'
import { renderJsonSchema } from '../src/scenario/json-schema.ts'

writeFileSync(new URL('../scenario.schema.json', import.meta.url), renderJsonSchema())
