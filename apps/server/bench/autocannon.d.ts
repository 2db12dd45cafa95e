/** The part of autocannon that the benchmark uses; the package has no types of its own. */
declare module 'autocannon' {
  interface Client {
    setRequests(requests: readonly object[]): void
  }
  interface Options {
    readonly url: string
    readonly connections: number
    /** Seconds. */
    readonly duration: number
    /** Seconds. */
    readonly timeout: number
    readonly setupClient: (client: Client) => void
  }
  interface Result {
    readonly requests: { readonly total: number }
    /** Milliseconds. */
    readonly latency: { readonly p50: number; readonly p99: number }
    /** Seconds. */
    readonly duration: number
    readonly non2xx: number
    readonly errors: number
  }
  export default function autocannon(options: Options): Promise<Result>
}
