/**
 * Reads and compares service versions, from 0.7 to 1.11 (spec 9). Code that depends on a version asks a gate by name
 * (gates.ts).
 */
import { AclError } from '../errors.ts'
import { shorten } from '../shared/shorten.ts'

/** A version as numbers. `text` keeps the spelling, so that 1.11 is not shown as 1.11.0. */
export interface ServiceVersion {
  readonly text: string
  readonly major: number
  readonly minor: number
  readonly patch: number
}

/** The oldest version the service speaks as. Decisions: versions. */
export const SERVICE_VERSION_OLDEST = '0.7'
/** The newest release line the service speaks as, its patch releases included, and the default. */
export const SERVICE_VERSION_NEWEST = '1.11'

/** Plain decimal numbers; four digits keep them exact and the text short. */
const VERSION = /^(0|[1-9]\d{0,3})\.(0|[1-9]\d{0,3})(?:\.(0|[1-9]\d{0,3}))?$/

/**
 * Reads any version, also one outside of what the service speaks: another server's, as the migrator meets it.
 *
 * @returns undefined where the text is not `major.minor[.patch]`. An absent patch is 0.
 */
export function readVersion(text: string): ServiceVersion | undefined {
  const [, major, minor, patch = '0'] = VERSION.exec(text) ?? []
  if (major === undefined || minor === undefined) return undefined
  return { text, major: Number(major), minor: Number(minor), patch: Number(patch) }
}

/**
 * Reads a version that the service can speak as: `major.minor[.patch]`, from 0.7 to 1.11 and its patch releases.
 *
 * @param field what the text came from, for the error: a variable, an option, a query parameter.
 * @throws AclError `version_invalid`, naming the field and the accepted form.
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

/** Negative where `a` is older, positive where it is newer, 0 where they are the same release (1.11 and 1.11.0). */
export function compareVersions(a: ServiceVersion, b: ServiceVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch
}

/** Whether `version` is older than `other`. */
export function isBefore(version: ServiceVersion, other: ServiceVersion): boolean {
  return compareVersions(version, other) < 0
}

/** A version of our own tables, which must be well formed. */
export function knownVersion(text: string): ServiceVersion {
  const version = readVersion(text)
  if (version === undefined) throw new TypeError(`${JSON.stringify(text)} is not a version`)
  return version
}

const OLDEST = knownVersion(SERVICE_VERSION_OLDEST)
const NEWEST = knownVersion(SERVICE_VERSION_NEWEST)

/** The text is the caller's and may be long; the error shows its beginning. */
function invalid(field: string, text: string, problem: string): AclError {
  return new AclError('version_invalid', `${field}: ${JSON.stringify(shorten(text))} ${problem}`, { field })
}
