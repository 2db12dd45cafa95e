/** Versions of the service and half-open ranges of them. */
import { isBefore, readVersion, SERVICE_VERSION_NEWEST, type ServiceVersion } from '@latchkey/contract'

export function version(text: string): ServiceVersion {
  const read = readVersion(text)
  if (read === undefined) throw new TypeError(`${JSON.stringify(text)} is not a version`)
  return read
}

/** The new ACL system: tags in gossip, legacy mode, accessors. Spec 9.1, 9.2. */
export const NEW_ACLS = version('1.4.0')
/** The removal of the legacy ACL system, with its mode and its endpoints. Spec 9.1. */
export const LEGACY_REMOVED = version('1.11.0')

/** From this version on, servers refuse a snapshot that has a token without an accessor. */
export const ACCESSORS_REQUIRED = version('1.15.0')

/** From this version on, intentions are config entries. Spec 9.5. */
export const INTENTIONS_AS_ENTRIES = version('1.9.0')

export const NEWEST_KNOWN = version(SERVICE_VERSION_NEWEST)

/** Whether the tables of the migrator cover a version. All patch releases of the newest minor version are covered. */
export function isKnown({ major, minor }: ServiceVersion): boolean {
  return major < NEWEST_KNOWN.major || (major === NEWEST_KNOWN.major && minor <= NEWEST_KNOWN.minor)
}

export function isAtLeast(v: ServiceVersion, since: ServiceVersion): boolean {
  return !isBefore(v, since)
}

export interface VersionRange {
  readonly since?: ServiceVersion
  readonly until?: ServiceVersion
}

/** Builds a range from texts: `range('1.6.0', '1.6.5')` contains 1.6.0 to 1.6.4. */
export function range(since: string, until?: string): VersionRange {
  return { since: version(since), ...(until === undefined ? {} : { until: version(until) }) }
}

export function isIn(v: ServiceVersion, ranges: readonly VersionRange[]): boolean {
  return ranges.some(
    ({ since, until }) =>
      (since === undefined || isAtLeast(v, since)) && (until === undefined || isBefore(v, until)),
  )
}
