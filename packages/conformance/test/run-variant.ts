/** Real server processes for tests, each with its own data directory. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LISTENS, type ReadyCommand, startReady } from '@latchkey/testkit/process/server-process'
import { MANAGEMENT_TOKEN, type Variant } from './variants.ts'

interface VariantServer {
  readonly url: string
  /** What its processes have logged so far. */
  log(): readonly string[]
  stop(): Promise<void>
}

/**
 * Starts the servers of a variant: one on its own database, two on a shared one, or one that follows a primary.
 *
 * @throws Error with the output of a server that exits before it listens.
 */
export async function runVariant(
  variant: Pick<Variant, 'server' | 'besideVersion' | 'isSecondary'>,
): Promise<VariantServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-conformance-'))
  const commands: ReadyCommand[] = []
  const log = () => commands.flatMap((command) => command.log)
  const stop = async () => {
    for (const command of commands.reverse()) await command.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  const start = async (args: readonly string[], env: Readonly<Record<string, string>>, ready: RegExp) => {
    const settings = { LATCHKEY_LOG_LEVEL: 'warn', LATCHKEY_DATA_DIR: dataDir, ...env }
    const command = await startReady(args, settings, ready)
    commands.push(command)
    return command.found
  }
  try {
    const settings = { LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT_TOKEN, ...variant.server }
    if (variant.isSecondary) {
      const primaryUrl = await start(
        [],
        { ...settings, LATCHKEY_DATA_DIR: join(dataDir, 'primary') },
        LISTENS,
      )
      const url = await start([], { ...secondaryOf(primaryUrl), ...variant.server }, LISTENS)
      await hasCopy(url)
      return { url, log, stop }
    }
    if (variant.besideVersion === undefined) {
      return { url: await start([], settings, LISTENS), log, stop }
    }
    await start(['postgres'], {}, /^PostgreSQL runs in (.+)$/)
    const shared = {
      ...settings,
      DATABASE_URL: (await readFile(join(dataDir, 'postgres.url'), 'utf8')).trim(),
    }
    await start([], { ...shared, LATCHKEY_SERVICE_VERSION: variant.besideVersion }, LISTENS)
    return { url: await start([], shared, LISTENS), log, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** A secondary whose replication token has every right. */
function secondaryOf(primaryUrl: string): Readonly<Record<string, string>> {
  return {
    LATCHKEY_DATACENTER: 'dc2',
    LATCHKEY_PRIMARY_DATACENTER: 'dc1',
    LATCHKEY_PRIMARY_URL: primaryUrl,
    LATCHKEY_REPLICATION_TOKEN: MANAGEMENT_TOKEN,
  }
}

/** Waits for the first copy, before which a secondary refuses everything. */
async function hasCopy(url: string): Promise<void> {
  const until = Date.now() + 60_000
  for (;;) {
    const { State } = (await (await fetch(`${url}/v1/acl/replication`)).json()) as { readonly State: string }
    if (State === 'following') return
    if (Date.now() > until) throw new Error(`no copy of the primary after a minute: ${State}`)
    await sleep(50)
  }
}
