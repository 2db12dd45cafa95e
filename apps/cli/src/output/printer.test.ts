import { PassThrough, Readable, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { EXIT } from '../frame/cli-error.ts'
import type { Io } from '../frame/io.ts'
import { type Format, Printer } from './printer.ts'

function printerTo(stdout: Io['stdout'], format: Format): Printer {
  const { signal } = new AbortController()
  const io = { stdin: Readable.from([]), stdout, stderr: new PassThrough(), env: {}, signal }
  return new Printer(io, { format, showsSecrets: false })
}

async function printed(value: unknown, format: Format, isTTY: boolean): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY })
  await printerTo(stdout, format).data(value)
  stdout.end()
  return text(stdout)
}

test('JSON escapes what could rewrite a terminal, and YAML on a terminal replaces it', async () => {
  const value = { Description: 'a\u009b2Jb\u202ec' }
  const json = await printed(value, 'ndjson', false)
  expect(json).toBe('{"Description":"a\\u009b2Jb\\u202ec"}\n')
  expect(JSON.parse(json)).toEqual(value)
  expect(await printed(value, 'yaml', true)).not.toMatch(/[\u0080-\u009f\u202e]/)
  expect(await printed(value, 'yaml', false)).toContain(value.Description)
})

test('output that a full disk does not take: 1, with the reason', async () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
  const stdout = new Writable({ write: (_, _encoding, done) => done(full) }).on('error', () => undefined)
  await expect(printerTo(stdout, 'json').data({})).rejects.toMatchObject({
    exitCode: EXIT.failed,
    message: 'cannot write the output: no space left on device',
  })
})
