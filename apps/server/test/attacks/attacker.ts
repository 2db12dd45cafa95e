/** Runs one attack in a thread of its own, so that the probe beside it measures the server and not the attack. */
import { constants, getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { ATTACKS } from './attacks.ts'

export interface AttackOrder {
  readonly name: string
  readonly port: number
  readonly ms: number
}

const { name, port, ms } = workerData as AttackOrder
// On Linux that of the thread. An attacker has a machine of its own; here it shares one with whom it attacks.
setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + 5))
const counts: Record<string, number> = {}
const endsAt = performance.now() + ms
// Answers that never come end with the thread.
const over = new Promise((resolve) => setTimeout(resolve, ms + 500))
await Promise.race([ATTACKS[name]?.({ port, counts, isOver: () => performance.now() > endsAt }), over])
parentPort?.postMessage(counts)
process.exit()
