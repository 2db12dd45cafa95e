/** An example for each operation. */
import { answer, type ExamplesOf } from '../shared/example.ts'

export const examples = {
  read: answer('…'),
  restore: answer(
    { Index: 1_000_042, SnapshotIndex: 42, Records: { token: 3, policy: 2, role: 1, kv: 12 } },
    '…',
  ),
} satisfies ExamplesOf<'snapshots'>
