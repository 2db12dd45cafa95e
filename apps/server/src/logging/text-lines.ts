import { visible } from '@latchkey/contract'

/** Fields that have their own place in a line, or are useless on a terminal. */
const PLACED: ReadonlySet<string> = new Set([
  'level',
  'time',
  'pid',
  'msg',
  'err',
  'method',
  'path',
  'status',
  'ms',
  'id',
])

const LEVELS: Readonly<Record<string, string>> = {
  info: 'info ',
  warn: 'WARN ',
  error: 'ERROR',
  fatal: 'FATAL',
}

/**
 * Makes a line of the log readable: time of day, level, what happened, and the other fields as `name=value`; an error
 * with its stack. A line that is not JSON stays unchanged.
 */
export function textLine(line: string): string {
  const fields = parse(line)
  if (fields === undefined) return visible(line)
  const { level, time, msg, err, method, path, status, ms } = fields
  const clock = new Date(String(time)).toTimeString().slice(0, 8)
  const what =
    msg ?? (method === undefined ? '' : `${method} ${path} ${status} in ${Math.round(Number(ms))} ms`)
  const rest = Object.entries(fields)
    .filter(([name]) => !PLACED.has(name))
    .map(([name, value]) => ` ${name}=${shown(value)}`)
  return visible(`${clock} ${LEVELS[String(level)] ?? level} ${what}${rest.join('')}${stackOf(err)}\n`)
}

/** A text that could be read as several fields is quoted, because a client chooses its `User-Agent`. */
function shown(value: unknown): string {
  return typeof value === 'string' && !/[\s"=]/.test(value) ? value : JSON.stringify(value)
}

function stackOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return ''
  const { stack, message } = error as { readonly stack?: unknown; readonly message?: unknown }
  return `\n  ${String(stack ?? message).replaceAll('\n', '\n  ')}`
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : undefined
  } catch {
    return undefined
  }
}
