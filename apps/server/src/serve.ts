/** Runs the server until it is stopped: as one process or several, with the embedded database if none is configured. */
import cluster from 'node:cluster'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { StartRefused } from '@latchkey/acl'
import { PRODUCT_VERSION } from '@latchkey/contract'
import type { Logger } from 'pino'
import { complain, print } from './cli/print.ts'
import { checkFiles } from './config/check-files.ts'
import { type Config, connectionsMaxOf, isListenerExposed } from './config/config.ts'
import { openDataDirectory } from './data-directory.ts'
import { startEmbeddedPostgres } from './database/embedded-postgres.ts'
import { migrate } from './database/schema/migrate.ts'
import { claimPort } from './http/listener/listen.ts'
import { createLoggers, type Loggers } from './logger.ts'
import type { ServerProcess, ServerProcessOptions } from './server-process.ts'
import { StartError } from './start-error.ts'
import { type Channel, MainLink, REFUSED_EXIT_CODE } from './workers/main-link.ts'
import { hangUpWorkers, startWorkers } from './workers/start-workers.ts'

/** Resources to stop with the server, last started first. `isForGood`: the server leaves the cluster permanently. */
type Stop = (isForGood: boolean) => Promise<void>

export async function serve(config: Config): Promise<void> {
  const { log, accessLog } = createLoggers(config)
  const stops: Stop[] = []
  const stop = stopOnSignals(log, stops)
  // Operators send SIGHUP after renewing a certificate. It must not kill a server that is starting or draining.
  if (config.tlsCert !== undefined) process.on('SIGHUP', () => {})
  try {
    if (cluster.isWorker) await serveAsWorker(config, { log, accessLog }, stops, stop)
    else await serveAsMain(config, { log, accessLog }, stops, stop)
  } catch (error) {
    await stopAll(stops, log)
    log.flush()
    if (cluster.isWorker && (error instanceof StartError || isRefusal(error))) endWorker(error)
    throw error
  }
}

const EXPOSED =
  'requests and the secrets in them cross the network unencrypted: set LATCHKEY_TLS_CERT and LATCHKEY_TLS_KEY, or LATCHKEY_TRUSTED_PROXIES if a proxy encrypts them'

async function serveAsMain(config: Config, loggers: Loggers, stops: Stop[], stop: StopServer): Promise<void> {
  const { log } = loggers
  // Refuse bad files before changing anything.
  await checkFiles(config)
  if (isListenerExposed(config)) log.warn({ host: config.host }, EXPOSED)
  const dataDir = openDataDirectory(config.dataDir)
  let databaseUrl = config.databaseUrl
  if (databaseUrl === undefined) {
    const postgres = await startEmbeddedPostgres({ dataDir, log })
    stops.push(() => postgres.stop())
    databaseUrl = postgres.url
  }
  await migrate({ url: databaseUrl, log })
  if (config.workers > 1) {
    const port = await claimPort(config)
    const stopWorkers = startWorkers({
      count: config.workers,
      env: { DATABASE_URL: databaseUrl, PORT: String(port), LATCHKEY_WORKERS: String(config.workers) },
      connectionsMax: connectionsMaxOf(config),
      log,
      onListening: ({ url, isBootstrapped }) => print(greeting(config, url, isBootstrapped)),
      onFatal: (error) => stop(error),
    })
    stops.push(stopWorkers)
    if (config.tlsCert !== undefined) process.on('SIGHUP', hangUpWorkers)
    return
  }
  const server = await startProcess({ config, databaseUrl, dataDir, ...loggers, onFatal: stop }, stops)
  print(greeting(config, server.url, server.isBootstrapped))
}

/** Where `latchkey-server postgres` writes the URL of its database, which contains a password. */
const DATABASE_URL_FILE = 'postgres.url'

/**
 * Runs only the embedded PostgreSQL, for several servers on one machine or for inspection with `psql`, until it is
 * stopped. Only its owner can read the file with the URL.
 */
export async function servePostgres(config: Config): Promise<void> {
  const { log } = createLoggers(config)
  const stops: Stop[] = []
  stopOnSignals(log, stops)
  const dataDir = openDataDirectory(config.dataDir)
  const postgres = await startEmbeddedPostgres({ dataDir, log })
  stops.push(() => postgres.stop())
  try {
    await migrate({ url: postgres.url, log })
    const file = join(dataDir, DATABASE_URL_FILE)
    await writeFile(file, `${postgres.url}\n`, { mode: 0o600 })
    stops.push(() => rm(file, { force: true }))
    print(`PostgreSQL runs in ${dataDir}\n\nStart servers on it with\n  DATABASE_URL="$(cat ${file})"\n`)
  } catch (error) {
    await stopAll(stops, log)
    log.flush()
    throw error
  }
}

/** A main process with workers never needs this module, and uses half the memory without it. */
async function startProcess(options: ServerProcessOptions, stops: Stop[]): Promise<ServerProcess> {
  const { startServerProcess } = await import('./server-process.ts')
  const server = await startServerProcess(options)
  stops.push((isForGood) => server.close(isForGood))
  return server
}

/** Runs as a worker: the database at `DATABASE_URL` is already started and migrated. */
async function serveAsWorker(
  config: Config,
  loggers: Loggers,
  stops: Stop[],
  stop: StopServer,
): Promise<void> {
  const dataDir = openDataDirectory(config.dataDir)
  const databaseUrl = config.databaseUrl ?? ''
  const channel: Channel = {
    // Ignores send errors: if the main process has died, this one ends too.
    send: (message) => process.send?.(message, undefined, undefined, () => {}),
    onMessage: (listener) => process.on('message', listener),
  }
  channel.onMessage((message) => {
    if (message.kind === 'stop') stop(undefined, message.isForGood)
  })
  const main = new MainLink(channel)
  const options = { config, databaseUrl, dataDir, ...loggers, main, onFatal: stop }
  const server = await startProcess(options, stops)
  channel.send({ kind: 'listening', url: server.url, isBootstrapped: server.isBootstrapped })
}

/** Whether the version of this process is too old for the data. */
function isRefusal(error: unknown): error is Error {
  return error instanceof Error && [error, error.cause].some((cause) => cause instanceof StartRefused)
}

/** Exits, because the open channel would keep a failed worker alive and the main process waiting for it. */
function endWorker(error: Error): never {
  complain(`${error.message}\n`)
  process.exit(isRefusal(error) ? REFUSED_EXIT_CODE : 1)
}

/** Stops the server. With an error, prints it and sets the exit code. */
type StopServer = (error?: Error, isForGood?: boolean) => void

/**
 * The first signal drains the server, and SIGQUIT also leaves the cluster. A second signal ends the process at once.
 */
function stopOnSignals(log: Logger, stops: Stop[]): StopServer {
  let isStopping = false
  const stop: StopServer = (error, isForGood = false) => {
    if (isStopping) return
    isStopping = true
    if (error) {
      complain(`${error.message}\n`)
      process.exitCode = cluster.isWorker && isRefusal(error) ? REFUSED_EXIT_CODE : 1
    }
    stopAll(stops, log, isForGood).finally(() => {
      log.flush()
      process.exit()
    })
  }
  // Not `isStopping`: a stop message from the main process may arrive just before the signal that was sent to both.
  let isSignalled = false
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const) {
    process.on(signal, () => {
      if (isSignalled) process.exit(SIGNAL_EXIT_CODE[signal])
      isSignalled = true
      log.info({ signal }, 'stopping')
      stop(undefined, signal === 'SIGQUIT')
    })
  }
  return stop
}

const SIGNAL_EXIT_CODE = { SIGINT: 130, SIGQUIT: 131, SIGTERM: 143 } as const

async function stopAll(stops: Stop[], log: Logger, isForGood = false): Promise<void> {
  for (const stop of stops.splice(0).reverse()) {
    await stop(isForGood).catch((error: unknown) =>
      log.error({ err: error }, 'a component did not stop cleanly'),
    )
  }
}

/** The next step for an operator. */
function greeting(config: Config, url: string, isBootstrapped: boolean): string {
  const next = isBootstrapped
    ? `Ask who you are, with a token you have:\n  curl -H "X-Service-Token: $LATCHKEY_TOKEN" ${url}/v1/acl/token/self`
    : `Make the first management token, once; its SecretID is the credential:\n  curl -X PUT ${url}/v1/acl/bootstrap`
  const pages = [...(config.ui ? [`Console: ${url}/ui`] : []), `Documentation: ${url}/docs`].join('\n')
  return `Latchkey ${PRODUCT_VERSION} listens on ${url}\n\n${next}\n\n${pages}\n`
}
