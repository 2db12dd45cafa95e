import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy that can turn into a black hole: connections stay open, and nothing passes. */
export interface FreezingProxy {
  readonly url: string
  freeze(): void
  heal(): void
  close(): Promise<void>
}

/** Puts a proxy before the PostgreSQL of a URL. */
export async function startFreezingProxy(url: string): Promise<FreezingProxy> {
  const target = new URL(url)
  const directory = target.searchParams.get('host')
  const port = target.port || '5432'
  const connectToTarget = () =>
    directory === null
      ? connect(Number(port), new URL(url).hostname)
      : connect(`${directory}/.s.PGSQL.${port}`)
  const sockets = new Set<Socket>()
  let isFrozen = false

  const server = createServer({ pauseOnConnect: true }, (inbound) => {
    const outbound = connectToTarget()
    for (const [from, to] of [
      [inbound, outbound],
      [outbound, inbound],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk) => {
        if (!isFrozen) to.write(chunk)
      })
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
      from.on('error', () => {})
    }
    inbound.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('no port')
  target.searchParams.delete('host')
  target.host = `127.0.0.1:${address.port}`
  return {
    url: target.href,
    freeze() {
      isFrozen = true
    },
    heal() {
      isFrozen = false
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
