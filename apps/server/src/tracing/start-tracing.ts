import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { isTraced } from '../config/config.ts'
import type { Tracing } from './open-tracing.ts'

interface Closable {
  close(isForGood: boolean): Promise<void>
}

/** Starts something, traced if the configuration says so; otherwise OpenTelemetry is not loaded. */
export async function startTraced<T extends Closable>(
  config: Config,
  log: Logger,
  start: (tracing: Tracing | undefined) => Promise<T>,
): Promise<T> {
  if (!isTraced(config)) return start(undefined)
  const { openTracing } = await import('./open-tracing.ts')
  const tracing = openTracing(config, log)
  try {
    const started = await start(tracing)
    const close = async (isForGood: boolean) => {
      await started.close(isForGood).finally(() => tracing.close())
    }
    return { ...started, close }
  } catch (error) {
    await tracing.close()
    throw error
  }
}
