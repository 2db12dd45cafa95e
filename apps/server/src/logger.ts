import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

const FLUSH_INTERVAL_MS = 200

export interface Loggers {
  readonly log: Logger
  /** One line per answer: without the second net, as its fields are fixed and none is a secret. */
  readonly accessLog: Logger
}

/**
 * The log: JSON lines on standard error, so that standard output is for people. What is logged is chosen field by
 * field where it is logged; redaction by name is a second net.
 */
export function createLoggers(level: string): Loggers {
  // Buffered, as a write per line costs more than most requests; what a quiet server has to say does not wait for more.
  const stream = destination({ dest: 2, sync: false, minLength: 4_096 })
  setInterval(() => stream.flush(), FLUSH_INTERVAL_MS).unref()
  const options = {
    level,
    base: { pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  }
  const paths = ['*.SecretID', '*.secretId', '*.password', '*.token', '*.authorization']
  return {
    log: pino({ ...options, redact: { paths, censor: '<hidden>' } }, stream),
    accessLog: pino(options, stream),
  }
}
