/** What the database's own commit log says of the batches and of the mode, by the database's clock. */
import pg from 'pg'

export interface LoggedCommit {
  readonly index: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly tokens: number
}

/** The log is cleaned after minutes, so it is read while it grows. */
export class CommitLog {
  readonly batches: LoggedCommit[] = []
  readonly modeChanges: LoggedCommit[] = []
  private readonly client: pg.Client
  private timer: NodeJS.Timeout | undefined
  private seen = 0

  constructor(url: string) {
    this.client = new pg.Client({ connectionString: url })
  }

  async start(): Promise<void> {
    await this.client.connect()
    const look = async () => {
      await this.read()
      this.timer = setTimeout(look, 100)
    }
    await look()
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer)
    await this.client.end()
  }

  async read(): Promise<void> {
    const { rows } = await this.client.query({
      text: `SELECT s.index::int, s.key, extract(epoch FROM s.changed_at) * 1000 AS at,
          (SELECT count(*)::int FROM change t WHERE t.index = s.index AND t.entity = 'tokens') AS tokens
        FROM change s WHERE s.entity = 'system' AND s.index > $1 ORDER BY s.index`,
      values: [this.seen],
    })
    for (const { index, key, at, tokens } of rows) {
      this.seen = index
      const commit = { index, at: Math.round(Number(at)), tokens }
      if (key === 'migration') this.batches.push(commit)
      if (key === 'acl-mode') this.modeChanges.push(commit)
    }
  }

  /** How the tokens stand. */
  async tokens(): Promise<{
    readonly all: number
    readonly withoutAccessor: number
    readonly accessors: number
  }> {
    const { rows } = await this.client.query(`SELECT count(*)::int AS all,
        count(*) FILTER (WHERE accessor_key IS NULL)::int AS "withoutAccessor",
        count(DISTINCT accessor_key)::int AS accessors FROM token`)
    return rows[0]
  }
}
