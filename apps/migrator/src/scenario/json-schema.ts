/** The scenario schema as JSON Schema, for editors and for programs that write scenarios. */
import * as z from 'zod'
import { scenarioSchema } from './schema.ts'

/** The text of apps/migrator/scenario.schema.json; `pnpm generate` writes it. */
export function renderJsonSchema(): string {
  return `${JSON.stringify(z.toJSONSchema(scenarioSchema, { io: 'input' }), null, 2)}\n`
}
