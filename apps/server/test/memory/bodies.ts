/**
 * Reads one hostile body in a separate process: `node --max-old-space-size=… bodies.ts <name>`. Prints the refusal's codes.
 * Without a name, and with `--expose-gc`: prints the heap in bytes that the process needs without a body.
 */
import { AclError, authorizeRequestSchema, createTokenSchema, decodeBody, limits } from '@latchkey/contract'

/** As many distinct units as fit into a body. */
function filled(opening: string, unit: (i: string) => string, closing: string): string {
  const units: string[] = []
  let length = opening.length + closing.length
  for (let i = 0; ; i += 1) {
    const next = unit(i.toString(36))
    length += next.length + 1
    if (length > limits.BODY_BYTES_MAX) return opening + units.join(',') + closing
    units.push(next)
  }
}

export const BODIES = {
  '100,000 nested lists': () => '['.repeat(100_000),
  '100,000 nested objects': () => '{"a":'.repeat(100_000),
  'a million names': () => `{${'"a":1,'.repeat(1_000_000)}"b":1}`,
  'as many names as fit': () => filled('{', (i) => `"${i}":0`, '}'),
  'as many names as fit, in a link': () => filled('{"Policies":[{', (i) => `"${i}":0`, '}]}'),
  'as many objects as fit': () => filled('[', () => '{}', ']'),
  'as many lists as fit': () => filled('[', () => '[]', ']'),
  'as many objects with distinct names as fit': () => filled('[', (i) => `{"${i}":0}`, ']'),
  'as many texts as fit': () => filled('[', (i) => `"${i}"`, ']'),
  'as many escapes as fit': () => `{"Description":"${'\\n'.repeat(520_000)}"}`,
  'a name of 1 MB': () => `{"${'k'.repeat(1_000_000)}":1}`,
  'a name of 170,000 escapes': () => `{"${'\\u0041'.repeat(170_000)}":1}`,
  'a long name twice': () => `{"${'k'.repeat(500_000)}":1,"${'k'.repeat(500_000)}":1}`,
  'the name __proto__': () => '{"__proto__":{"a":1}}',
} satisfies Readonly<Record<string, () => string>>

export type BodyName = keyof typeof BODIES

if (process.argv[1] === import.meta.filename) {
  const name = process.argv[2] as BodyName | undefined
  if (name === undefined) measure()
  else decode(name)
}

function measure(): void {
  globalThis.gc?.()
  process.stdout.write(String(process.memoryUsage().heapUsed))
}

function decode(name: BodyName): void {
  const body = Buffer.from(BODIES[name]())
  const codes = new Set<string>()
  for (let i = 0; i < 3; i += 1) {
    for (const schema of [createTokenSchema, authorizeRequestSchema]) {
      try {
        decodeBody(schema, body)
        codes.add('accepted')
      } catch (error) {
        if (!(error instanceof AclError)) throw error
        codes.add(error.code)
      }
    }
  }
  process.stdout.write(JSON.stringify([...codes]))
}
