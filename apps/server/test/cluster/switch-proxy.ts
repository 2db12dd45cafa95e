/** One address before a database that moves: what a virtual address or a connection pooler is to servers in production. */
import { connect, createServer, type Socket } from 'node:net'

export interface SwitchProxy {
  /** The URL of the database behind it, by the address of the proxy. */
  readonly url: string
  /** Leads to another database from now on, under the same name and password. What leads elsewhere is cut. */
  switchTo(url: string): void
  /** Cuts every connection, and refuses new ones. */
  cut(): void
  /** Lets nothing through, and closes nothing: a black hole. */
  freeze(): void
  /** Ends {@link SwitchProxy.cut} and {@link SwitchProxy.freeze}. */
  heal(): void
  close(): Promise<void>
}

export async function startSwitchProxy(targetUrl: string): Promise<SwitchProxy> {
  let target = targetUrl
  let state: 'open' | 'cut' | 'frozen' = 'open'
  const sockets = new Set<Socket>()
  const cutAll = () => {
    for (const socket of sockets) socket.destroy()
  }
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (chunk) => {
      if (state === 'open') to.write(chunk)
    })
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
    // Its close follows.
    from.on('error', () => {})
  }
  const server = createServer({ pauseOnConnect: true }, (inbound) => {
    if (state === 'cut') {
      inbound.resetAndDestroy()
      return
    }
    const outbound = connectTo(target)
    pass(inbound, outbound)
    pass(outbound, inbound)
    inbound.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('no port')
  return {
    url: addressedTo(targetUrl, address.port),
    switchTo(url) {
      target = url
      cutAll()
    },
    cut() {
      state = 'cut'
      cutAll()
    },
    freeze() {
      state = 'frozen'
    },
    heal() {
      // What was swallowed meanwhile is missing on every connection.
      if (state === 'frozen') cutAll()
      state = 'open'
    },
    async close() {
      cutAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The address of a URL may be a socket file in a directory. */
export function connectTo(databaseUrl: string): Socket {
  const url = new URL(databaseUrl)
  const directory = url.searchParams.get('host')
  const port = url.port || '5432'
  return directory === null ? connect(Number(port), url.hostname) : connect(`${directory}/.s.PGSQL.${port}`)
}

export function addressedTo(databaseUrl: string, port: number): string {
  const url = new URL(databaseUrl)
  url.searchParams.delete('host')
  url.host = `127.0.0.1:${port}`
  return url.href
}
