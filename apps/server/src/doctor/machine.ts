/** Findings of `latchkey-server doctor` about the machine: disk and open files. */
import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Finding, fail, ok, warn } from './finding.ts'

const GIB = 1024 ** 3
const DISK_BYTES_WARN = 5 * GIB
const DISK_BYTES_FAIL = GIB / 2
/** A connection takes a file, and blocking queries keep many connections open. */
const FILES_MIN = 4_096

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
