/** OpenTelemetry variables that the exporter reads itself, and ignores if they are unusable. */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import { choice, custom, integer, type Setting, SettingError, text } from './setting.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The prefix for all signals, and the prefix for traces, which takes precedence. */
const PREFIXES = ['OTEL_EXPORTER_OTLP_', 'OTEL_EXPORTER_OTLP_TRACES_'] as const
/** Settings that name files, without prefix. */
const FILES = ['CERTIFICATE', 'CLIENT_CERTIFICATE', 'CLIENT_KEY'] as const
const TIMEOUT_MS_MAX = 3_600_000

export const EXPORTER_SETTINGS: readonly Setting<unknown>[] = PREFIXES.flatMap((prefix) => [
  choice({ env: `${prefix}PROTOCOL`, fallback: 'http/protobuf', choices: ['http/protobuf'] }),
  choice({ env: `${prefix}COMPRESSION`, fallback: 'none', choices: ['none', 'gzip'] }),
  integer({ env: `${prefix}TIMEOUT`, min: 1, max: TIMEOUT_MS_MAX }),
  custom<string | undefined>(
    {
      env: `${prefix}HEADERS`,
      accepts: 'comma-separated `name=value`, the values percent-encoded',
      isSecret: true,
    },
    parseHeaders,
  ),
  ...FILES.map((file) => text({ env: prefix + file, accepts: 'a path' })),
])

function parseHeaders(value: string): string {
  const pairs = value.split(',').filter((pair) => pair.trim() !== '')
  if (!pairs.every(isHeader)) throw new SettingError('has a part that does not have that form')
  return value
}

function isHeader(pair: string): boolean {
  const [name = '', value = ''] = pair.split(/=(.*)/s)
  try {
    validateHeaderName(decodeURIComponent(name.trim()))
    validateHeaderValue(name, decodeURIComponent(value.trim()))
    return value.trim() !== ''
  } catch {
    return false
  }
}

/** A PEM file that the exporter reads, and the setting that names it. */
export interface ExporterFile {
  readonly setting: string
  readonly path: string
}

/** Empty variables are treated as unset. */
export function exporterFilesOf(env: Environment): readonly ExporterFile[] {
  const settings = PREFIXES.flatMap((prefix) => FILES.map((file) => prefix + file))
  return settings.flatMap((setting) => {
    const path = env[setting]?.trim()
    return path ? [{ setting, path }] : []
  })
}
