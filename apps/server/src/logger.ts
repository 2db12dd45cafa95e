import { isatty } from 'node:tty'
import { destination, type Logger, pino, stdTimeFunctions } from 'pino'
import type { Config } from './config/config.ts'
import { type AccessLog, createAccessLog } from './http/access-log.ts'
import { accessFilter } from './logging/access-choice.ts'
import { textLine } from './logging/text-lines.ts'

export interface Loggers {
  readonly log: Logger
  /** Writes one line per answer; `undefined` if the log level is too low. */
  readonly accessLog: AccessLog | undefined
}

const STANDARD_ERROR = 2
/** Lines are written together, because a write wakes a thread, which costs more than a line. */
const LINES_LENGTH_MIN = 8_192
/** Maximum delay of a line on a quiet server, in milliseconds. */
const FLUSH_INTERVAL_MS = 200

type LogSettings = Pick<Config, 'logLevel' | 'logFormat' | 'accessLog'>

/**
 * The log: lines on standard error, as JSON or as readable text; standard output is only for the greeting. Logged
 * fields are chosen where they are logged; redaction by name is a second line of defence.
 */
export function createLoggers({ logLevel: level, logFormat, accessLog }: LogSettings): Loggers {
  const isText = logFormat === 'text' || (logFormat === 'auto' && isatty(STANDARD_ERROR))
  const stream = destination({
    dest: STANDARD_ERROR,
    sync: false,
    minLength: LINES_LENGTH_MIN,
    periodicFlush: FLUSH_INTERVAL_MS,
  })
  const lines = isText
    ? {
        write: (line: string) => stream.write(textLine(line)),
        flush: (done: (error?: Error) => void) => stream.flush(done),
      }
    : stream
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
  const isLogged = log.isLevelEnabled('info') ? accessFilter(accessLog) : undefined
  return { log, accessLog: isLogged && createAccessLog(lines, isLogged) }
}
