/** The delay of replies. Latency belongs to the network, so it passes in real time even if the clock is frozen. */
import type { EndpointName } from '@latchkey/contract'
import { type Duration, toMs } from './mock-clock.ts'

/** One duration for all calls, or a function of the endpoint, which is `undefined` for an unknown path. */
export type Latency = Duration | ((endpoint: EndpointName | undefined) => Duration)

/** @throws TypeError if the latency is not a duration. */
export function latencyMs(latency: Latency, endpoint: EndpointName | undefined): number {
  return toMs(typeof latency === 'function' ? latency(endpoint) : latency)
}
