/** A server of the comparison. */
import type { Measured } from './processes.ts'

export interface Contender extends Measured {
  /** Restarts it; a server that keeps its data still has it afterwards. */
  restart(): Promise<void>
}

/** A server that this process starts and restarts: its process and its address change. */
export async function startContender(start: () => Promise<Measured>): Promise<Contender> {
  let current = await start()
  return {
    get url() {
      return current.url
    },
    get pid() {
      return current.pid
    },
    get secret() {
      return current.secret
    },
    get prefix() {
      return current.prefix
    },
    stop: () => current.stop(),
    async restart() {
      await current.stop()
      current = await start()
    },
  }
}
