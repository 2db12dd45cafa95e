import { type Release, Semaphore } from '@latchkey/service'

/** Limits the open connections of each client. */
export interface ConnectionSlots {
  /** Takes a slot for a client. @returns undefined if none is free. */
  take(client: string): Release | undefined | Promise<Release | undefined>
}

/** The slots of this process. @param max per client; 0 for no limit. */
export function connectionSlots(max: number) {
  const open = new Semaphore(Number.POSITIVE_INFINITY)
  const ofClient = max === 0 ? Number.POSITIVE_INFINITY : max
  return {
    take: (client) => open.tryAcquire({ shares: [{ key: client, max: ofClient }] }),
  } satisfies ConnectionSlots
}
