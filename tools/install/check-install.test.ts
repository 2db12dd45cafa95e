import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const SCRIPT = 'tools/install/check-install.mjs'
const folder = temporaryFolder('check-install')

/** The outcome in a workspace, on a Node of this version. */
function check(version = process.versions.node) {
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '${version}' } })`
  cpSync(join(ROOT, SCRIPT), join(folder, SCRIPT))
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, join(folder, SCRIPT)]
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stderr, stdout }
}

test('a script ends if the install before it failed, or brought no Node, and says so', () => {
  expect(check()).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/could not be installed.*pnpm@12 install\n$/),
  })
  mkdirSync(join(folder, 'node_modules'))
  writeFileSync(join(folder, 'node_modules/.modules.yaml'), '')
  expect(check('20.20.2')).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/20\.20\.2.*pnpm@12 rebuild node\n$/),
  })
  expect(check()).toEqual({ status: 0, stderr: '', stdout: '' })
})

test('every script of the workspace checks that first', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const others = Object.entries<string>(scripts).filter(
    ([, script]) => !script.startsWith(`node ${SCRIPT} && `),
  )
  expect(others).toEqual([])
})
