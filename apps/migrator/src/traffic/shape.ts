/** The shape of a log line: enough to write a pattern for it, without a value that may be a secret. */
import { METHODS } from './logged-call.ts'

const SHAPE_LENGTH_MAX = 160
/** Words of log formats and paths. A secret may be any other. */
const WORDS = new RegExp(
  `^(?:${METHODS}|HTTP|https?|v1|acl|kv|agent|catalog|health|session|create|update|destroy|clone|info|list|TRACE|DEBUG|INFO|WARN|ERROR|stdout|stderr)$`,
)

/** Letters become `x`, digits `9`; known words and the names of JSON fields stay. */
export function shapeOf(line: string): string {
  const begin = line.slice(0, SHAPE_LENGTH_MAX)
  const shape = begin.replace(
    /("[A-Za-z_@.-]{1,30}"\s*:)|[\p{L}\p{N}]+/gu,
    (word, field: string | undefined) =>
      field !== undefined || WORDS.test(word) ? word : word.replace(/\p{L}/gu, 'x').replace(/\p{N}/gu, '9'),
  )
  return begin.length < line.length ? `${shape}…` : shape
}
