/**
 * Parses and compares service versions, from 0.7 to 1.11 (spec 9). Code that depends on a version checks a gate by name
 * (gates.ts).
 */
import { AclError } from '../errors.ts'
import { shorten } from '../shared/shorten.ts'

/** A version as numbers. `text` keeps the spelling: 1.11 is not shown as 1.11.0. */
export interface ServiceVersion {
  readonly text: string
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** The oldest version the service speaks as. Decisions: versions. */
export const SERVICE_VERSION_OLDEST = '0.7'
/** The newest release line the service speaks as, including its patch releases; the default. */
export const SERVICE_VERSION_NEWEST = '1.11'

/** Decimal numbers of at most four digits. */
const VERSION = /^(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})(?:\.(0|[1-9]\d{0,3}))?$/

/**
 * Parses any version, including versions that the service does not support but the migrator encounters.
 *
 * @returns undefined if the text is not `major.minor[.patch]`. The default patch is 0.
 */
export function readVersion(text: string): ServiceVersion | undefined {
  const [, major, minor, patch = '0'] = VERSION.exec(text) ?? []
  if (major === undefined || minor === undefined) return undefined
  return { text, major: Number(major), minor: Number(minor), patch: Number(patch) }
}

/**
 * Parses a version that the service can speak: `major.minor[.patch]`, from 0.7 to 1.11 and its patch releases.
 *
 * @param field the source of the text, for the error: a variable, an option, a query parameter.
 * @throws AclError `version_invalid`, which names the field and the accepted form.
 */
export function parseServiceVersion(text: string, field = 'version'): ServiceVersion {
  const version = readVersion(text)
  if (version === undefined) {
    throw invalid(
      field,
      text,
      'is not a version; write major.minor or major.minor.patch, such as 1.4 or 1.8.1',
    )
  }
  if (isBefore(version, OLDEST)) {
    throw invalid(field, text, `is older than ${SERVICE_VERSION_OLDEST}, the oldest version that is known`)
  }
  if (version.major > NEWEST.major || (version.major === NEWEST.major && version.minor > NEWEST.minor)) {
    throw invalid(field, text, `is newer than ${SERVICE_VERSION_NEWEST}, the newest version that is known`)
  }
  return version
}

/** Negative if `a` is older, positive if it is newer, 0 for the same release (1.11 and 1.11.0). */
export function compareVersions(a: ServiceVersion, b: ServiceVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch
}

/** Whether `version` is older than `other`. */
export function isBefore(version: ServiceVersion, other: ServiceVersion): boolean {
  return compareVersions(version, other) < 0
}

/** A version from our own tables. */
export function knownVersion(text: string): ServiceVersion {
  const version = readVersion(text)
  if (version === undefined) throw new TypeError(`${JSON.stringify(text)} is not a version`)
  return version
}

const OLDEST = knownVersion(SERVICE_VERSION_OLDEST)
const NEWEST = knownVersion(SERVICE_VERSION_NEWEST)

function invalid(field: string, text: string, problem: string): AclError {
  return new AclError('version_invalid', `${field}: ${JSON.stringify(shorten(text))} ${problem}`, { field })
}
