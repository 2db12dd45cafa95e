/** Runs one attack in its own thread, so that the probe measures the server and not the attack. */
import { constants, getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { ATTACKS } from './attacks.ts'
import type { Field } from './clients.ts'
import { SERVICE_ATTACKS } from './service-attacks.ts'

export interface AttackOrder extends Pick<Field, 'port'> {
  readonly name: string
  readonly ms: number
}

const { name, ms, port } = workerData as AttackOrder
// On Linux this sets the thread's priority. A real attacker has its own machine; this one shares it with its target.
setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + 5))
const counts: Record<string, number> = {}
const endsAt = performance.now() + ms
// Waits no longer than this for pending answers: they end with the thread.
const over = new Promise((resolve) => setTimeout(resolve, ms + 500))
const attack = ATTACKS[name] ?? SERVICE_ATTACKS[name]
await Promise.race([attack?.({ port, counts, isOver: () => performance.now() > endsAt }), over])
parentPort?.postMessage(counts)
process.exit()
