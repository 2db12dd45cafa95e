import { spawn } from 'node:child_process'
import { platform } from 'node:os'

/**
 * Interrupts a process when this one dies, however it dies: a shell waits for the end of a pipe that only this process
 * holds open. Without it, a killed server would leave its database running until the next start.
 *
 * Windows has no such signal; there, the next start stops the orphaned database.
 *
 * @returns a function that ends the watch; call it as soon as the process has ended, because its pid may be reused.
 */
export function stopWhenWeDie(pid: number): () => void {
  if (platform() === 'win32') return () => {}
  const shell = spawn('/bin/sh', ['-c', 'read -r _; kill -INT "$1"', 'sh', String(pid)], {
    // Its own session, like the database's: Ctrl-C must not end the watch.
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  shell.on('error', () => {
    // Without a shell there is no watch; the next start cleans up.
  })
  shell.unref()
  return () => {
    shell.kill('SIGKILL')
  }
}
