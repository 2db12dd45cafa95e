import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningServer } from '@latchkey/testkit/process/server-process'

interface Memory {
  readonly rss: number
  readonly heapUsed: number
}

/**
 * Memory of a server in bytes; it must have loaded `report-memory.ts`. Takes the last of several measurements: what one
 * garbage collection finds dead, the next one frees.
 */
export async function memoryOf({ log, process: child }: RunningServer): Promise<Memory> {
  const reports = () => log.filter((line) => line.startsWith('{"memory":'))
  for (let look = 0; look < 4; look += 1) {
    const count = reports().length
    child.kill('SIGUSR2')
    while (reports().length === count) await sleep(10)
  }
  const { memory }: { memory: Memory } = JSON.parse(reports().at(-1) ?? '')
  return memory
}
