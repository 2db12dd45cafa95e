/** Requests that are answered without Node's messages: see `repeated-requests.ts`. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { FairQueue } from '@latchkey/service'
import { canOutliveClient } from '../api/can-outlive-client.ts'
import type { Door } from '../door.ts'
import { isOnFastLane } from '../fast-lane.ts'
import type { PlainRequest } from './known-heads.ts'
import { Repeat, type RepeatParts } from './repeat.ts'
import { type ClientOf, RepeatedRequest } from './repeated-request.ts'

interface RepeatsOptions extends RepeatParts {
  readonly door: Pick<Door, 'refusalOf'>
  readonly clientOf: ClientOf
  /** Shared with the requests that Express starts. */
  readonly starts: FairQueue
  /** Shared with the other reads of the fast lane. */
  readonly reads: FairQueue
  /** Whether writes may be forwarded to the primary: they can then outlive their clients. */
  readonly forwardsWrites: boolean
}

export class Repeats {
  private readonly options: RepeatsOptions
  /** Repeats that Node's messages answer, by Node's request. */
  private readonly handedOver = new WeakMap<IncomingMessage, Repeat>()

  constructor(options: RepeatsOptions) {
    this.options = options
  }

  /** Begins to answer a request. @returns undefined if the door refuses it. */
  begin(plain: PlainRequest, socket: Socket): Repeat | undefined {
    const { door, forwardsWrites, starts, reads, clientOf, signals } = this.options
    const request = new RepeatedRequest(plain, socket, clientOf)
    if (door.refusalOf(request)) return undefined
    if (canOutliveClient(plain, forwardsWrites)) request.abort = signals.begin()
    const repeat = new Repeat(request, this.options)
    const isRead = isOnFastLane(plain)
    const turns = isRead ? reads : starts
    if (isRead && reads.isFree()) repeat.start()
    else turns.run(request.client, () => repeat.start())
    return repeat
  }

  /**
   * Hands a repeat over to Node's messages, which write the service's reply to it. The service does not run it again.
   */
  handOver(repeat: Repeat, request: IncomingMessage): void {
    this.handedOver.set(request, repeat)
  }

  /** The repeat that was handed over to a request of Node. */
  handedTo(request: IncomingMessage): Repeat | undefined {
    return this.handedOver.get(request)
  }
}
