/** What `latchkey-server doctor` says about the machine: disk, open files, certificates. */
import { X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Finding, fail, ok, warn } from './finding.ts'

const GIB = 1024 ** 3
const DISK_BYTES_WARN = 5 * GIB
const DISK_BYTES_FAIL = GIB / 2
/** A connection takes a file; blocking queries hold many. */
const FILES_MIN = 4_096
const DAY_MS = 86_400_000
const EXPIRY_DAYS_WARN = 30

/** @param path the data directory, which may not exist yet. */
export function checkDisk(path: string): Finding {
  let folder = resolve(path)
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const free = bavail * bsize
  const found = `${(free / GIB).toFixed(1)} GiB free at ${folder}`
  if (free < DISK_BYTES_FAIL)
    return fail('disk', found, 'Free some space now: a full disk stops every write.')
  if (free < DISK_BYTES_WARN) return warn('disk', found, 'Free some space, or move LATCHKEY_DATA_DIR.')
  return ok('disk', found)
}

/** @param limits the text of `/proc/self/limits`; undefined where there is none. */
export function checkFiles(limits = readLimits()): readonly Finding[] {
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits ?? '') ?? []
  if (soft === undefined) return []
  const found = `${soft} open files`
  if (soft === 'unlimited' || Number(soft) >= FILES_MIN) return [ok('open files', found)]
  return [
    warn(
      'open files',
      found,
      `Raise the limit to ${FILES_MIN} or more: LimitNOFILE= of the unit, or ulimit -n.`,
    ),
  ]
}

function readLimits(): string | undefined {
  return existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : undefined
}

/** @param files by the settings that name them. @param now in milliseconds. */
export function checkCertificates(files: Readonly<Record<string, string>>, now: number): readonly Finding[] {
  return Object.entries(files).map(([setting, path]) => {
    try {
      const { validTo } = new X509Certificate(readFileSync(path))
      const days = Math.floor((Date.parse(validTo) - now) / DAY_MS)
      const found = `${setting} (${path}) is valid until ${new Date(validTo).toISOString().slice(0, 10)}`
      if (days < 0) return fail('certificate', found, 'Replace it: it has expired.')
      if (days < EXPIRY_DAYS_WARN) return warn('certificate', found, `Replace it within ${days} days.`)
      return ok('certificate', found)
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      return fail('certificate', `${setting} (${path}): ${problem}`, 'Write a certificate in PEM there.')
    }
  })
}
