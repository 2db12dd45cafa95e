import { destination, type Logger, pino, stdTimeFunctions } from 'pino'

/**
 * The log: JSON lines on standard error, so that standard output is for people. What is logged is chosen field by
 * field where it is logged; the redaction here is a second net.
 */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: {
        paths: ['*.SecretID', '*.secretId', '*.password', '*.token', '*.authorization'],
        censor: '<hidden>',
      },
    },
    // Buffered, as a line per request costs more than the request otherwise; flushed at exit.
    destination({ dest: 2, sync: false, minLength: 4_096 }),
  )
}
