/** Shows long output in the person's pager. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Io } from '../frame/io.ts'

/** Runs `LATCHKEY_PAGER`, `PAGER` or `less`. Returns `false` if there is no pager: the caller then prints. */
export async function page(text: string, env: Io['env']): Promise<boolean> {
  const command = env.LATCHKEY_PAGER ?? env.PAGER ?? 'less'
  if (command === '' || command === 'cat') return false
  const child = spawn(command, {
    shell: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    // Quits if the text fits, keeps colours, and leaves the text on the screen.
    env: { ...process.env, LESS: env.LESS ?? 'FRX' },
  })
  // If the person quits the pager early, it closes its input.
  child.stdin.on('error', () => undefined)
  child.stdin.end(text)
  const [exitCode] = await once(child, 'close')
  // Shells answer 127 for a program that does not exist.
  return exitCode !== 127
}
