/** Legacy tokens for an upgrade run: of both types, with rules that overlap, deny, say nothing, or cannot be read. */
import { randomUUID } from 'node:crypto'
import type { LegacyToken } from '@latchkey/contract'

/** Keys that exist, and that the questions ask of. */
export const KEYS = ['app/1', 'app/2/own', 'shared/x'] as const

const key = (segment: string, policy: string) => `key "${segment}" { policy = "${policy}" }`

const RULES: readonly string[] = [
  key('app', 'read'),
  key('app', 'write'),
  key('', 'read'),
  `${key('', 'write')}\n${key('shared', 'deny')}`,
  `${key('app', 'write')}\n${key('app/2', 'read')}`,
  `# its own part\n${key('app/2/own', 'write')}`,
  `key "app/" {\n  policy = "list"\n}\nservice "web" { policy = "write" }`,
  `${key('shared', 'read')}\nkey_prefix "app" { policy = "write" }\nacl = "write"`,
  '{"key":{"app/1":{"policy":"write"},"shared":{"policy":"read"}}}',
  'node "" { policy = "read" }',
  '',
  'key "app" { policy = ',
]

/** Every tenth token may do everything. */
export function aDump(count: number): LegacyToken[] {
  return Array.from({ length: count }, (_, i) => {
    const isManagement = i % 10 === 0
    return {
      ID: i % 7 === 0 ? `any text ${i} ${randomUUID()}` : randomUUID(),
      Name: `legacy ${i}`,
      Type: isManagement ? 'management' : 'client',
      Rules: isManagement ? '' : (RULES[i % RULES.length] ?? ''),
      CreateIndex: i + 1,
      ModifyIndex: i + 1,
    }
  })
}
