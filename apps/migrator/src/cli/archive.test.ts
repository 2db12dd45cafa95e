import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { describe, expect, test } from 'vitest'
import { type WrittenRecord, writeArchive } from '../../test/archive/write-archive.ts'
import { run } from '../../test/io.ts'

const directory = temporaryFolder('migrator-archive')
const SECRET = 'canary-71fe'

async function archive(name: string, records: readonly WrittenRecord[]): Promise<string> {
  const path = join(directory, name)
  writeFileSync(path, await writeArchive(records))
  return path
}

const server = (Node: string, version?: string): WrittenRecord => ({
  type: 0,
  value: {
    Datacenter: 'east',
    Node,
    Service: { Service: 'consul', Meta: version === undefined ? null : { version } },
  },
})
const legacy = (i: number, fields: object = {}): WrittenRecord => ({
  type: 4,
  value: {
    ID: `${SECRET}-${i}`,
    Name: `job ${i}`,
    Type: 'client',
    Rules: 'key "a/" { policy = "read" }',
    ...fields,
  },
})
const migrated = (i: number, fields: object = {}): WrittenRecord => ({
  type: 17,
  value: {
    AccessorID: `accessor-${i}`,
    SecretID: `${SECRET}-${i}`,
    Description: `job ${i}`,
    Type: 'client',
    Rules: 'key "a/" { policy = "read" }',
    Policies: null,
    ...fields,
  },
})

describe('a snapshot archive is taken wherever a dump is', () => {
  test('plan counts its tokens, names its servers, and tells a refused token by its place in state.bin', async () => {
    const path = await archive('old.snap', [
      server('s1'),
      server('s2'),
      legacy(1),
      legacy(2, { Type: 'management', Rules: '' }),
      legacy(3, { Type: 'root' }),
      { type: 40, value: { x: 1 } },
    ])
    const { code, stdout, stderr } = await run(['plan', path, '--json'])
    const plan = JSON.parse(stdout)
    expect(code).toBe(3)
    expect(plan).toMatchObject({
      scenario: 'from 1.3.1 to 1.4.0, without a schedule',
      tokens: { total: 2, client: 1, management: 1, refused: 1 },
      datacenters: { east: { servers: 2 } },
    })
    const finding = (id: string) => plan.findings.find((each: { id: string }) => each.id === id)
    expect(finding('dump-type-unknown').detail).toMatch(/"job 3" \(ID hash [0-9a-f]{12}, token 2, byte \d+\)/)
    expect(finding('archive-records-skipped')).toMatchObject({ severity: 'info', count: 1 })
    expect(stdout + stderr).not.toContain(SECRET)
  })

  test('a snapshot of 1.8.7 is planned to 1.11: tokens with an accessor need no migration, and rights from rules end', async () => {
    const path = await archive('new.snap', [
      server('s1', '1.8.7'),
      server('s2', '1.9.0'),
      migrated(1),
      migrated(2, { Rules: '', Policies: [{ ID: 'p' }] }),
      migrated(3, { Policies: [{ ID: 'p' }] }),
      migrated(4, { Rules: '', Type: 'management' }),
      migrated(5, { AccessorID: '' }),
    ])
    const { code, stdout } = await run(['plan', path])
    expect(code).toBe(3)
    expect(stdout).toContain('from 1.8.7 to 1.11.0')
    expect(stdout).toContain('1 legacy token: 1 client')
    expect(stdout).toContain('4 tokens with an accessor; the rights of 2 come from legacy rules alone')
    expect(stdout).toMatch(
      /critical legacy-rights-end-at-1\.11: From 1\.11 only the default policy applies to 2 tokens/,
    )
    expect(stdout).toMatch(/critical management-unlinked: 1 management token has an accessor and no policy/)
    expect(stdout).toContain('accessor accessor-1')
    expect(stdout).toContain('Give policies to 2 client tokens')
    expect(stdout).toContain('Link global-management to 1 management token that has no policy')
    expect(stdout).not.toContain(SECRET)
  })

  test('simulate and plan --to take its tokens and intentions', async () => {
    const intention = { type: 12, value: { SourceName: 'a', DestinationName: 'b', SourceNS: 'default' } }
    const path = await archive('intentions.snap', [legacy(1), legacy(2), intention])
    const scenario = join(directory, 'to-1.9.yaml')
    writeFileSync(scenario, 'from: 1.3.1\nversion: 1.9.0\ndatacenters: [{ name: dc1, servers: 3 }]\n')
    const simulated = JSON.parse((await run(['simulate', scenario, '--dump', path, '--json'])).stdout)
    expect(simulated.migration.dc1).toMatchObject({ tokens: 2, remaining: 0 })
    expect(simulated.timeline.map(({ kind }: { kind: string }) => kind)).toContain('intentions-done')
    const routed = await run(['plan', '--scenario', scenario, '--to', '1.11', path])
    expect(routed.stdout).toContain('1.10')
  })

  test('a damaged archive ends with 1 and its name, and leaves no output', async () => {
    const path = join(directory, 'damaged.snap')
    const bytes = await writeArchive([legacy(1)])
    writeFileSync(path, bytes.subarray(0, -40))
    const { code, stdout, stderr } = await run(['plan', path])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('damaged.snap: the archive is cut off')
  })
})
