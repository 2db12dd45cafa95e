import pg from 'pg'

/**
 * A connection to the database. The driver reads the files named in its URL, such as that of `sslrootcert`, whenever it
 * connects. If they cannot be read, connecting fails as if the database were unreachable. The driver's constructor
 * would throw instead, even from timers and callbacks, where nothing can catch the error.
 */
export class DatabaseClient extends pg.Client {
  private readonly problem: Error | undefined

  constructor(config: pg.ClientConfig = {}) {
    const problem = problemOf(config)
    super(problem === undefined ? config : {})
    this.problem = problem
  }

  override connect(): Promise<pg.Client>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<pg.Client> | undefined {
    const { problem } = this
    if (callback === undefined) return problem === undefined ? super.connect() : Promise.reject(problem)
    if (problem === undefined) super.connect(callback)
    else process.nextTick(callback, problem)
    return undefined
  }
}

function problemOf(config: pg.ClientConfig): Error | undefined {
  try {
    new pg.Client(config)
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
