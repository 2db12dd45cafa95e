/** A small disk in memory that tests can fill, and whose files they can freeze. For root on Linux. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasCode } from '../../src/has-code.ts'

export interface SmallDisk {
  readonly folder: string
  /** Fills the disk completely. */
  fill(): void
  /** Frees the space that {@link fill} took. */
  free(): void
  /** Prevents opening files below the folder for writing, creating and removing them, even by root. */
  freeze(): void
  thaw(): void
  unmount(): void
}

/** Room for a fresh database and some of its log. */
const SIZE_MB = 160

/**
 * Why the machine cannot have a small disk; `undefined` if it can.
 *
 * @throws Error if LATCHKEY_REQUIRE_MOUNT=1 and it cannot, so that a run that requires it does not skip silently.
 */
export function whyNoSmallDisk(): string | undefined {
  try {
    const disk = mountSmallDisk()
    try {
      disk.freeze()
      disk.thaw()
    } finally {
      disk.unmount()
    }
    return undefined
  } catch (error) {
    const reason = `cannot mount a small disk or freeze its files: ${(error as Error).message}`
    if (process.env.LATCHKEY_REQUIRE_MOUNT === '1') throw new Error(reason, { cause: error })
    return reason
  }
}

/** @throws Error without the right to mount. */
export function mountSmallDisk(): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-disk-'))
  const filler = join(folder, 'filler')
  const run = (program: string, ...args: string[]) => execFileSync(program, args, { stdio: 'pipe' })
  try {
    run('mount', '-t', 'tmpfs', '-o', `size=${SIZE_MB}m`, 'tmpfs', folder)
  } catch (error) {
    rmSync(folder, { recursive: true })
    throw error
  }
  // The database runs as another user there.
  chmodSync(folder, 0o755)
  const thaw = () => setImmutable(folder, false)
  return {
    folder,
    fill() {
      const file = openSync(filler, 'a')
      try {
        for (const bytes of [1_048_576, 4_096]) writeUntilFull(file, Buffer.alloc(bytes))
      } finally {
        closeSync(file)
      }
    },
    free: () => rmSync(filler, { force: true }),
    freeze() {
      setImmutable(folder, true)
      if (isWritable(folder)) throw new Error('chattr +i has no effect here')
    },
    thaw,
    unmount() {
      thaw()
      run('umount', '--lazy', folder)
      rmSync(folder, { recursive: true })
    },
  }
}

/** Ignores errors: sockets cannot be frozen, and files change during the run. The caller checks the result. */
function setImmutable(folder: string, isOn: boolean): void {
  const options = ['(', '-type', 'f', '-o', '-type', 'd', ')', '-exec', 'chattr', '-f', isOn ? '+i' : '-i']
  spawnSync('find', [folder, ...options, '{}', '+'], { stdio: 'ignore' })
}

function isWritable(folder: string): boolean {
  try {
    rmSync(mkdtempSync(join(folder, 'probe-')), { recursive: true })
    return true
  } catch {
    return false
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) === bytes.length);
  } catch (error) {
    if (!hasCode(error, 'ENOSPC')) throw error
  }
}
