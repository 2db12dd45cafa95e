import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { beforeEach, expect, test } from 'vitest'
import { takeBootstrapReset } from './bootstrap-reset.ts'

const dataDir = temporaryFolder('reset')
const file = join(dataDir, 'acl-bootstrap-reset')
beforeEach(() => rmSync(file, { force: true }))

test('no file, or no directory: none', async () => {
  expect(await takeBootstrapReset(dataDir, 16)).toBe('none')
  expect(await takeBootstrapReset(join(dataDir, 'nowhere'), 16)).toBe('none')
  writeFileSync(join(dataDir, 'a-file'), '')
  expect(await takeBootstrapReset(join(dataDir, 'a-file'), 16)).toBe('none')
})

test.each(['16', ' 16\n', '016'])(
  '%j names the index 16: accepted once, and the file is gone',
  async (text) => {
    writeFileSync(file, text)
    expect(await takeBootstrapReset(dataDir, 16)).toBe('accepted')
    expect(existsSync(file)).toBe(false)
    expect(await takeBootstrapReset(dataDir, 16)).toBe('none')
  },
)

test('a wrong index is reported, and the file stays', async () => {
  writeFileSync(file, '7')
  expect(await takeBootstrapReset(dataDir, 16)).toEqual({ wrong: 7 })
  expect(existsSync(file)).toBe(true)
})

test.each(['', 'x', '1.5', '-1', '0x10', '1e3', '1 2', '9999999999999999'])(
  '%j is no number: none',
  async (text) => {
    writeFileSync(file, text)
    expect(await takeBootstrapReset(dataDir, 16)).toBe('none')
  },
)

test('RACE-01: of 64 at once one is accepted', async () => {
  writeFileSync(file, '16')
  const outcomes = await Promise.all(Array.from({ length: 64 }, () => takeBootstrapReset(dataDir, 16)))
  expect(outcomes.filter((outcome) => outcome === 'accepted')).toHaveLength(1)
  expect(outcomes.filter((outcome) => outcome === 'none')).toHaveLength(63)
})
