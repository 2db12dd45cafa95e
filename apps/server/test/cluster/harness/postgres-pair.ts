/**
 * A PostgreSQL and a streaming standby, run with the server's own binaries. These lack `pg_basebackup`, so the standby
 * starts from a copy of the primary's files, made while the primary is stopped.
 */

import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '@latchkey/testkit/process/ports'
import { pino } from 'pino'
import { choosePostgresAccount } from '../../../src/database/postgres-account.ts'
import { EMBEDDED_NAME, findPostgresBinaries, openCluster } from '../../../src/database/postgres-cluster.ts'
import { postgresArguments, postgresUrl } from '../../../src/database/postgres-settings.ts'
import { type Postmaster, startPostmaster } from '../../../src/database/postmaster.ts'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { askDatabase } from './server-group.ts'

interface PostgresPair {
  readonly primaryUrl: string
  readonly standbyUrl: string
  /** SIGKILL to the primary's postmaster; its other processes end with it. */
  killPrimary(): Promise<void>
  /** Promotes the standby; resolves when it accepts writes. */
  promote(): Promise<void>
  /** Stops both, and removes their files. */
  remove(): Promise<void>
}

/** The application name of the standby. */
const STANDBY = 'standby'
const log = pino({ level: 'silent' })

/**
 * Starts the pair, with a migrated database.
 *
 * @param options.isSynchronous the primary acknowledges a commit only after the standby has written it to disk.
 */
export async function startPostgresPair(options: { readonly isSynchronous: boolean }): Promise<PostgresPair> {
  const root = mkdtempSync(join(tmpdir(), 'latchkey-pair-'))
  const binaries = await findPostgresBinaries()
  const [primaryDir, standbyDir] = [join(root, 'primary'), join(root, 'standby')]
  const account = choosePostgresAccount(binaries, primaryDir)
  const password = await openCluster(primaryDir, { dataDir: root, binaries, account })
  const [primaryPort = 0, standbyPort = 0] = await freePorts(2)
  const urlAt = (port: number) => postgresUrl({ kind: 'tcp', port }, EMBEDDED_NAME, password)
  const start = (clusterDir: string, port: number, settings: Readonly<Record<string, string>> = {}) =>
    startPostmaster({
      program: binaries.postgres,
      args: postgresArguments(clusterDir, { kind: 'tcp', port }, { max_connections: '100', ...settings }),
      account,
      clusterDir,
      logFile: `${clusterDir}.log`,
      log,
    })
  const running: Postmaster[] = []
  const remove = async () => {
    await Promise.all(running.map((postmaster) => postmaster.stop().then(() => postmaster.exited)))
    rmSync(root, { recursive: true, force: true })
  }
  try {
    const alone = await start(primaryDir, primaryPort)
    running.push(alone)
    await askDatabase(databaseOf(urlAt(primaryPort), 'postgres'), `CREATE DATABASE ${EMBEDDED_NAME}`)
    await migrate({ url: urlAt(primaryPort), log })
    await alone.stop()

    cpSync(primaryDir, standbyDir, { recursive: true, filter: (path) => !path.endsWith('postmaster.pid') })
    const conninfo = `host=127.0.0.1 port=${primaryPort} user=${EMBEDDED_NAME} password=${password} application_name=${STANDBY}`
    writeFileSync(join(standbyDir, 'standby.signal'), '')
    // In a file, because arguments cannot be changed while it runs.
    writeFileSync(join(standbyDir, 'postgresql.auto.conf'), `primary_conninfo = '${conninfo}'\n`)
    account.own(standbyDir)
    for (const name of readdirSync(standbyDir, { recursive: true, encoding: 'utf8' }))
      account.own(join(standbyDir, name))
    const standby = await start(standbyDir, standbyPort)
    running.push(standby)
    const primary = await start(
      primaryDir,
      primaryPort,
      options.isSynchronous ? { synchronous_standby_names: STANDBY } : {},
    )
    running.push(primary)
    await untilStreaming(urlAt(primaryPort))
    return {
      primaryUrl: urlAt(primaryPort),
      standbyUrl: urlAt(standbyPort),
      async killPrimary() {
        process.kill(primary.pid, 'SIGKILL')
        await primary.exited
      },
      async promote() {
        await askDatabase(urlAt(standbyPort), 'SELECT pg_promote(true)')
      },
      remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

function databaseOf(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl)
  url.pathname = name
  return url.href
}

async function untilStreaming(primaryUrl: string): Promise<void> {
  for (;;) {
    const rows = await askDatabase(primaryUrl, `SELECT FROM pg_stat_replication WHERE state = 'streaming'`)
    if (rows.length > 0) return
    await sleep(50)
  }
}
