import type { ConnectionSlots } from '../http/listener/connections/connection-slots.ts'
import type { ToMain, ToWorker } from './worker-messages.ts'

/** The end of a worker's channel to the main process. */
export interface Channel {
  send(message: ToMain): void
  onMessage(listener: (message: ToWorker) => void): void
}

/** The slots of all workers, which the main process counts: a client has its limit once, however many workers there are. */
export class SlotsOfMain implements ConnectionSlots {
  private readonly channel: Channel
  private readonly asked = new Map<number, (isTaken: boolean) => void>()
  private asks = 0

  constructor(channel: Channel) {
    this.channel = channel
    channel.onMessage((message) => {
      if (message.kind !== 'slot') return
      this.asked.get(message.ask)?.(message.isTaken)
      this.asked.delete(message.ask)
    })
  }

  take(client: string): Promise<boolean> {
    this.asks += 1
    const ask = this.asks
    return new Promise((resolve) => {
      this.asked.set(ask, resolve)
      this.channel.send({ kind: 'take', ask, client })
    })
  }

  free(client: string): void {
    this.channel.send({ kind: 'free', client })
  }
}
