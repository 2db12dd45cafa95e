import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { StartError } from '../start-error.ts'
import { checkFiles } from './check-files.ts'
import { loadConfig } from './config.ts'

async function aFile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const path = join(folder, 'file.pem')
  await writeFile(path, text)
  return path
}

test.each(['', 'no certificate'])(
  'CFG-01: authorities of the database that cannot be read stop the start: %j',
  async (text) => {
    const file = await aFile(text)
    const checkUrl = (mode: string) =>
      checkFiles(loadConfig({ DATABASE_URL: `postgresql://h/d?sslmode=${mode}&sslrootcert=${file}` }))
    await expect(checkUrl('verify-full')).rejects.toThrow(StartError)
    await expect(checkUrl('verify-full')).rejects.toThrow(
      /^DATABASE_URL: the file of sslrootcert cannot be used/,
    )
    await checkUrl('disable')
  },
)
