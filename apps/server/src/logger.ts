import { destination, type Logger, pino, stdTimeFunctions } from 'pino'
import { type AccessLog, createAccessLog } from './http/access-log.ts'
import { LineBuffer } from './line-buffer.ts'

export interface Loggers {
  readonly log: Logger
  /** Writes one line per answer; `undefined` if the level is too low. */
  readonly accessLog: AccessLog | undefined
}

const STANDARD_ERROR = 2

/**
 * The log: JSON lines on standard error; standard output is for people. Logged fields are chosen where they are
 * logged; redaction by name is a second line of defence.
 */
export function createLoggers(level: string): Loggers {
  const lines = new LineBuffer(destination({ dest: STANDARD_ERROR, sync: false }), STANDARD_ERROR)
  const paths = ['*.SecretID', '*.secretId', '*.password', '*.token', '*.authorization']
  const log = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label: string) => ({ level: label }) },
      redact: { paths, censor: '<hidden>' },
    },
    lines,
  )
  return { log, accessLog: log.isLevelEnabled('info') ? createAccessLog(lines) : undefined }
}
