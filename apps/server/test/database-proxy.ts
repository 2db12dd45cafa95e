/** A TCP proxy in front of a database, like a virtual address or a connection pooler in production. */
import { connect, createServer, type Socket } from 'node:net'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'

export interface DatabaseProxy {
  /** The URL of the database behind it, with the proxy's address. */
  readonly url: string
  /** Switches to another database with the same name and password, and cuts existing connections. */
  switchTo(url: string): void
  /** Cuts every connection, and refuses new ones. */
  cut(): void
  /** Drops all data and closes nothing: a black hole. */
  freeze(): void
  /** Ends {@link DatabaseProxy.cut} and {@link DatabaseProxy.freeze}. Connections that lost data are cut. */
  heal(): void
  /** Chunks of data that clients have sent so far. */
  pieces(): number
  close(): Promise<void>
}

/** Starts a proxy in front of the PostgreSQL of a URL. */
export async function startDatabaseProxy(targetUrl: string): Promise<DatabaseProxy> {
  let target = targetUrl
  let state: 'open' | 'cut' | 'frozen' = 'open'
  let pieces = 0
  const sockets = new Set<Socket>()
  const lossy = new Set<Socket>()
  const cut = (connections: ReadonlySet<Socket>) => {
    for (const socket of connections) socket.destroy()
  }
  const pass = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on('data', (chunk) => {
      if (state === 'open') to.write(chunk)
      else lossy.add(from)
    })
    from.on('close', () => {
      sockets.delete(from)
      lossy.delete(from)
      to.destroy()
    })
    // A close event follows.
    from.on('error', () => {})
  }
  const server = createServer({ pauseOnConnect: true }, (inbound) => {
    if (state === 'cut') {
      inbound.resetAndDestroy()
      return
    }
    const outbound = connectTo(target)
    inbound.on('data', () => {
      pieces += 1
    })
    pass(inbound, outbound)
    pass(outbound, inbound)
    inbound.resume()
  })
  const port = await listenOnFreePort(server)
  return {
    url: addressedTo(targetUrl, port),
    switchTo(url) {
      target = url
      cut(sockets)
    },
    cut() {
      state = 'cut'
      cut(sockets)
    },
    freeze() {
      state = 'frozen'
    },
    heal() {
      cut(lossy)
      state = 'open'
    },
    pieces: () => pieces,
    async close() {
      cut(sockets)
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
