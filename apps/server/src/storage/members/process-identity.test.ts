import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { isProcessGone, processIdentity } from './process-identity.ts'

const isLinux = process.platform === 'linux'
const MODULE = new URL('./process-identity.ts', import.meta.url).href

test.runIf(isLinux)('a process is gone once it has ended, and not before', async () => {
  const program = `import('${MODULE}').then(({ processIdentity }) => { console.log(processIdentity()); setInterval(() => {}, 1e6) })`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  const identity = String((await once(child.stdout, 'data'))[0]).trim()
  expect(isProcessGone(identity)).toBe(false)
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(isProcessGone(identity)).toBe(true)
  expect(isProcessGone(processIdentity().replace(/\d+$/, '1'))).toBe(true)
  expect(isProcessGone('')).toBe(false)
})

/** Runs a program as another user, from whom `/proc` hides ours. */
function runHidden(program: string) {
  const script = `mount -t proc -o hidepid=2 proc /proc && exec setpriv --reuid=12345 --regid=12345 --clear-groups "$@"`
  const args = ['-m', 'sh', '-c', script, 'sh', process.execPath, '-e', program]
  return spawnSync('unshare', args, { encoding: 'utf8', env: { PATH: process.env.PATH } })
}

const mayHide = isLinux && runHidden('0').status === 0

test.runIf(mayHide)('COH-02: a process that /proc hides is not gone', () => {
  const program = `import('${MODULE}').then(({ isProcessGone }) => console.log(isProcessGone('${processIdentity()}')))`
  expect(runHidden(program)).toMatchObject({ stdout: 'false\n', status: 0 })
})
