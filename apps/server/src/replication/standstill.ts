import { isRunning, lagMsOf, type ReplicationReport, STILL_MS_MAX } from './replication-state.ts'

type Write = (facts: object, text: string) => void

interface StandstillLog {
  readonly info: Write
  readonly warn: Write
}

/** Logs when replication stops, when the reason for a pause changes, and when it continues. */
export class Standstill {
  private readonly log: StandstillLog
  /** The reason for a pause, or empty if there is no answer; `undefined` while replication runs. */
  private reason: string | undefined

  constructor(log: StandstillLog) {
    this.log = log
  }

  /** Call it at short intervals. */
  look(report: ReplicationReport, now: number): void {
    const { state, since, pausedBy = '', lastErrorMessage } = report
    const isStill = !isRunning(report, now) && (state === 'paused' || now - since >= STILL_MS_MAX)
    const reason = isStill ? pausedBy : undefined
    if (reason === this.reason) return
    this.reason = reason
    const facts = { state, lagSeconds: Math.round(lagMsOf(report, now) / 1_000), lastErrorMessage }
    if (isStill) this.log.warn(facts, 'replication from the primary datacenter has stalled')
    else this.log.info(facts, 'replication from the primary datacenter continues')
  }
}
