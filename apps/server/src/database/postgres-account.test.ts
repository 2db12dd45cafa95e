import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { choosePostgresAccount, type PostgresBinaries } from './postgres-account.ts'
import { findPostgresBinaries, openCluster } from './postgres-cluster.ts'

describe.runIf(process.getuid?.() === 0)('root, in a folder that only root may enter', () => {
  let home: string
  let binaries: PostgresBinaries

  beforeAll(async () => {
    // Its mode is 0700.
    home = mkdtempSync(join(tmpdir(), 'latchkey-private-'))
    const installed = await findPostgresBinaries()
    cpSync(dirname(dirname(installed.postgres)), join(home, 'native'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    binaries = { initdb: join(home, 'native/bin/initdb'), postgres: join(home, 'native/bin/postgres') }
  })
  afterAll(() => rmSync(home, { recursive: true, force: true }))

  test('the database is created with programs and data in that folder', async () => {
    const clusterDir = join(home, 'postgres')
    const account = choosePostgresAccount(binaries, clusterDir)
    await openCluster(clusterDir, { dataDir: home, binaries, account })
    expect(statSync(clusterDir).uid).not.toBe(0)
    expect(statSync(home).mode & 0o777).toBe(0o700)
  })

  test.each([
    ['setpcap', /root, and as the user with id[\s\S]*Start the server as an ordinary user, or/],
    ['dac_override', /root, and root lacks the capability.*\nStart the server as an ordinary user, or/],
  ])('without the capability %s, the start is refused, with what to do', (lacking, refusal) => {
    const server = join(import.meta.dirname, '../../test/run-embedded-postgres.ts')
    const args = [`--bounding-set=-${lacking}`, process.execPath, server, join(home, 'data')]
    const { status, stderr } = spawnSync('setpriv', args, { encoding: 'utf8', timeout: 60_000 })
    expect(status).toBe(1)
    expect(stderr).toMatch(refusal)
  })
})
