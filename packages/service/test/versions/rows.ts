/** Tests a row of the spec's version tables against every version. */

import { compareVersions, parseServiceVersion } from '@latchkey/contract'
import { putOf } from '@latchkey/testkit/records/changes'
import { aWorld, type World, type WorldOptions } from '@latchkey/testkit/service/world'
import { expect } from 'vitest'

/** Versions on both sides of every boundary of spec 7, 8 and 9. */
const VERSIONS = [
  ...['0.7', '0.9', '1.0', '1.0.6', '1.0.7', '1.3.0', '1.3.1', '1.4.0', '1.4.1', '1.4.9', '1.5.0'],
  ...['1.6.2', '1.6.3', '1.6.10', '1.7.0', '1.7.1', '1.8.0', '1.8.1', '1.9', '1.10', '1.11'],
] as const

/** The answer from each version on, until the next entry. The first entry is the oldest version. */
type Since = Readonly<Record<string, unknown>>

/** Asks a world of every version and compares the answers. */
export async function expectSince(
  expected: Since,
  ask: (world: World, version: string) => Promise<unknown>,
  options: WorldOptions = {},
): Promise<void> {
  const actual: Record<string, unknown> = {}
  const wanted: Record<string, unknown> = {}
  for (const version of VERSIONS) {
    const world = await aWorld({ ...options, version })
    actual[version] = await ask(world, version)
    wanted[version] = answerAt(expected, version)
  }
  expect(actual).toEqual(wanted)
}

function answerAt(expected: Since, version: string): unknown {
  const at = parseServiceVersion(version)
  return Object.entries(expected).findLast(
    ([since]) => compareVersions(parseServiceVersion(since), at) <= 0,
  )?.[1]
}

/** Puts the store into legacy mode. Spec 9.2.1. */
export function inLegacyMode({ store }: World): void {
  const record = { Key: 'acl-mode', Value: { mode: 'legacy' }, CreateIndex: 0, ModifyIndex: 0 } as const
  store.commitNow([putOf('system', record, 0)])
}
