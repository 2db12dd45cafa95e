/** The folder of kept lists, limited in bytes: the least recently used lists are removed first. */
import { createHash } from 'node:crypto'
import { mkdir, open, readdir, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../has-code.ts'
import { claimOf, isDraft } from './list-file.ts'

/** An older draft was left by a process that was killed. */
const DRAFT_AGE_MS_MAX = 3_600_000
/** The same for a claim. */
const CLAIM_AGE_MS_MAX = 300_000

export class ListFolder {
  private readonly path: string
  private readonly bytesMax: number

  /** @param path of the folder, which is created on demand. */
  constructor(path: string, bytesMax: number) {
    this.path = path
    this.bytesMax = bytesMax
  }

  pathOf(key: string): string {
    return join(this.path, createHash('sha256').update(key).digest('hex'))
  }

  async create(): Promise<void> {
    await mkdir(this.path, { recursive: true, mode: 0o700 })
  }

  /**
   * Claims a list, so that only one process of a server prepares it.
   *
   * @returns a function that releases it; undefined if another process has claimed it.
   */
  async claim(path: string): Promise<(() => Promise<void>) | undefined> {
    await this.create()
    const claim = claimOf(path)
    const claimedAt = (await facts(claim))?.mtimeMs
    if (claimedAt !== undefined && Date.now() - claimedAt > CLAIM_AGE_MS_MAX) await rm(claim, { force: true })
    try {
      await (await open(claim, 'wx', 0o600)).close()
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return undefined
      throw error
    }
    return () => rm(claim, { force: true })
  }

  /** When a file was written, in milliseconds since the epoch; undefined if there is none. */
  async writtenAt(path: string): Promise<number | undefined> {
    return (await facts(path))?.mtimeMs
  }

  async noteUse(path: string): Promise<void> {
    const file = await facts(path)
    if (file) await utimes(path, new Date(), file.mtime).catch(() => {})
  }

  /** Removes files until there is room at this path for a file of this length. */
  async makeRoom(bytes: number, replaced: string): Promise<void> {
    const names = await readdir(this.path)
    const files = await Promise.all(
      names.map(async (name) => {
        const path = join(this.path, name)
        return { name, path, facts: await facts(path) }
      }),
    )
    const isLeft = (file: (typeof files)[number]) =>
      isDraft(file.name) && Date.now() - (file.facts?.mtimeMs ?? 0) > DRAFT_AGE_MS_MAX
    for (const { path } of files.filter(isLeft)) await rm(path, { force: true })
    // Excludes the file that is replaced, and its replacement, whose size is already counted.
    const others = files.filter((file) => !file.path.startsWith(replaced) && !isLeft(file))
    let left = others.reduce((sum, file) => sum + (file.facts?.size ?? 0), bytes)
    const kept = others.filter(({ name }) => !isDraft(name))
    kept.sort((a, b) => (a.facts?.atimeMs ?? 0) - (b.facts?.atimeMs ?? 0))
    for (const file of kept) {
      if (left <= this.bytesMax) return
      await rm(file.path, { force: true })
      left -= file.facts?.size ?? 0
    }
  }

  async remove(path: string): Promise<void> {
    await rm(path, { force: true }).catch(() => {})
  }
}

async function facts(path: string) {
  return stat(path).catch(() => undefined)
}
