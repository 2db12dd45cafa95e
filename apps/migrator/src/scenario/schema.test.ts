import { expect, test } from 'vitest'
import { renderJsonSchema } from './schema.ts'
import { WORKLOAD_KINDS } from './schema-parts.ts'

test('the JSON Schema refuses unknown fields and lists the kinds of workloads and events', () => {
  const schema = JSON.parse(renderJsonSchema())
  expect(schema.additionalProperties).toBe(false)
  expect(schema.properties.workloads.items.properties.kind.enum).toEqual([...WORKLOAD_KINDS])
  expect(schema.properties.events.items.oneOf.length).toBeGreaterThan(15)
})
