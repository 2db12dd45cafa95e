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
  'CFG-01: unreadable certificate authorities of the database prevent the start: %j',
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

test.each(['CERTIFICATE', 'TRACES_CLIENT_CERTIFICATE', 'CLIENT_KEY'])(
  'CFG-01: an unusable file of the exporter prevents the start: OTEL_EXPORTER_OTLP_%s',
  async (name) => {
    const setting = `OTEL_EXPORTER_OTLP_${name}`
    const check = (path: string) =>
      checkFiles(loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318', [setting]: path }))
    await expect(check('/nowhere/file.pem')).rejects.toThrow(
      `${setting}: /nowhere/file.pem cannot be used: ENOENT`,
    )
    await expect(check(await aFile('canary'))).rejects.toThrow(/cannot be used: it holds no .* in PEM$/)
    await checkFiles(loadConfig({ [setting]: '/nowhere/file.pem' }))
  },
)
