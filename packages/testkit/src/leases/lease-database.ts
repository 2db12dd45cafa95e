/** The database as read leases use it: each method is one transaction under the lock of the commit index. Decisions: read leases. */
import type { Mistake } from './mistakes.ts'

export interface MemberRow {
  readonly heartbeatAt: number
  readonly isFenced: boolean
  /** The number of its last heartbeat. */
  readonly beat: number
  /** The epoch of its lease; undefined after it reported that it has none. */
  readonly leaseEpoch: number | undefined
}

/** Leases that must end before the next commit. */
export interface Closing {
  /** Identifies this closing. After a crash, the leases of an epoch may be ended twice. */
  readonly id: number
  readonly epoch: number
  /** Holders, with the numbers of their last heartbeats. Undefined if the lease rows may be lost, so that only waiting helps. */
  readonly holders: ReadonlyMap<string, number> | undefined
}

interface State {
  index: number
  /** `blind`: like `closing`, but the holders are unknown. */
  phase: 'none' | 'open' | 'closing' | 'blind'
  epoch: number
  /** The number of the last closing. */
  closing: number
  timeline: number
  members: Map<string, MemberRow>
}

interface Beat {
  readonly id: string
  readonly beat: number
  readonly isHolding: boolean
  readonly isAsking: boolean
  /** A closing whose leases have all expired. */
  readonly waited: number | undefined
}

export type BeatAnswer =
  | { readonly isMember: false }
  | {
      readonly isMember: true
      readonly index: number
      readonly isGranted: boolean
      /** Other members that may commit. */
      readonly others: number
      /** The closing in progress. */
      readonly closing: number | undefined
    }

export interface Author {
  readonly id: string
  /** The number of the last heartbeat that it sent. */
  readonly beat: number
  readonly waited: number | undefined
}

const FAILED_AFTER_MS = 5_000

export class LeaseDatabase {
  isUp = true
  private timeline = 1
  /** The last epoch. Epochs are never reused, even by a standby that has not seen the last one. */
  private epochs = 0
  /** The last closing; closings are never reused either. */
  private closings = 0
  private state: State = {
    index: 0,
    phase: 'none',
    epoch: 0,
    closing: 0,
    timeline: 1,
    members: new Map(),
  }
  /** A standby that lacks the transactions since the last write. */
  private standby: State = structuredClone(this.state)
  private readonly now: () => number
  private readonly notify: (message: { readonly kind: 'commit' | 'close'; readonly value: number }) => void
  private readonly mistake: Mistake | undefined

  constructor(options: {
    readonly now: () => number
    readonly notify: LeaseDatabase['notify']
    readonly mistake: Mistake | undefined
  }) {
    this.now = options.now
    this.notify = options.notify
    this.mistake = options.mistake
  }

  get index(): number {
    return this.state.index
  }

  row(id: string): MemberRow | undefined {
    return this.state.members.get(id)
  }

  isMember(id: string): boolean {
    return this.row(id)?.isFenced === false
  }

  /** Promotes the standby, which lacks every transaction that was not a write. */
  failOver(): void {
    this.timeline += 1
    this.state = structuredClone(this.standby)
  }

  /** Crashes. The phase `closing` is not flushed yet and is lost. */
  crash(): void {
    this.isUp = false
    if (this.state.phase === 'closing') this.state.phase = 'open'
  }

  /** @returns undefined if the author may not commit. */
  commit(author: Author): { readonly index: number } | Closing | undefined {
    if (!this.isMember(author.id)) return undefined
    const closing = this.mayHoldLeases(author) ? this.close(author) : undefined
    if (closing && this.mistake !== 'a write is committed while others hold leases') {
      if (this.mistake !== 'leases end after the commit, before its acknowledgement') return closing
    }
    this.state.index += 1
    this.standby = structuredClone(this.state)
    this.notify({ kind: 'commit', value: this.state.index })
    if (closing && this.mistake === 'leases end after the commit, before its acknowledgement') {
      return { ...closing, index: this.state.index }
    }
    return { index: this.state.index }
  }

  /** Joins share the numbering of heartbeats: a join that arrives after a later heartbeat changes nothing. */
  join(author: Author): { readonly index: number } | Closing {
    if (this.mistake !== 'a process joins without ending the lease of the one that was alone') {
      const closing = this.close(author)
      if (closing) return closing
    }
    const { id, beat } = author
    if (beat <= (this.row(id)?.beat ?? -1)) return { index: this.state.index }
    this.state.members.set(id, { heartbeatAt: this.now(), isFenced: false, beat, leaseEpoch: undefined })
    return { index: this.state.index }
  }

  leave(id: string): void {
    this.state.members.delete(id)
  }

  beat({ id, beat, isHolding, isAsking, waited }: Beat): BeatAnswer {
    const { members } = this.state
    const row = members.get(id)
    if (!row || row.isFenced) return { isMember: false }
    if (beat <= row.beat && this.mistake !== 'a late heartbeat is taken for a new one')
      return { isMember: false }
    const isDropped = !isHolding || this.mistake === 'a heartbeat says that a lease is over which still holds'
    members.set(id, {
      ...row,
      heartbeatAt: this.now(),
      beat,
      leaseEpoch: isDropped ? undefined : row.leaseEpoch,
    })
    for (const [other, its] of members) {
      if (this.now() - its.heartbeatAt > FAILED_AFTER_MS) members.set(other, { ...its, isFenced: true })
    }
    const others = this.others(id).filter(([, other]) => !other.isFenced).length
    const isGranted = isAsking && this.grant(id, waited)
    const { phase, index } = this.state
    const closing = phase === 'closing' || phase === 'blind' ? this.nameOfClosing() : undefined
    return { isMember: true, index, isGranted, others, closing }
  }

  private grant(id: string, waited: number | undefined): boolean {
    const { state } = this
    if (this.isNewPrimary()) return false
    const isOver = waited === this.nameOfClosing() && (state.phase === 'closing' || state.phase === 'blind')
    const isEager = this.mistake === 'leases are granted again while a writer waits for their end'
    if (state.phase === 'none' || isOver) {
      state.phase = 'open'
      state.epoch = this.newEpoch()
    }
    if (state.phase !== 'open' && !isEager) return false
    const row = state.members.get(id)
    if (row) state.members.set(id, { ...row, leaseEpoch: state.epoch })
    return true
  }

  /** @returns the leases that must end first; undefined if the author may commit now. */
  private close({ id, beat, waited }: Author): Closing | undefined {
    const { state } = this
    if (this.isNewPrimary()) return { id: this.nameOfClosing(), epoch: state.epoch, holders: undefined }
    if (state.phase === 'blind') {
      const id = this.nameOfClosing()
      return id === waited ? this.end() : { id, epoch: state.epoch, holders: undefined }
    }
    const others = this.others(id)
    if (others.every(([, row]) => row.isFenced && row.leaseEpoch !== state.epoch)) return undefined
    if (state.phase === 'none') return undefined
    if (state.phase === 'closing' && this.nameOfClosing() === waited) return this.end()
    const isAuthorSafe = this.mistake === 'a late commit does not see the lease of its own author'
    const holders = new Map<string, number>()
    for (const [holder, row] of state.members) {
      if (row.leaseEpoch !== state.epoch) continue
      if (holder !== id || (row.beat > beat && !isAuthorSafe)) holders.set(holder, row.beat)
    }
    if (holders.size === 0) return this.end()
    if (state.phase === 'open') state.closing = this.newClosing()
    state.phase = 'closing'
    this.notify({ kind: 'close', value: state.epoch })
    return { id: this.nameOfClosing(), epoch: state.epoch, holders }
  }

  private end(): undefined {
    this.state.phase = 'none'
  }

  /** Whether there may be leases that this database never recorded. */
  private isNewPrimary(): boolean {
    const { state } = this
    if (state.timeline === this.timeline) return false
    state.timeline = this.timeline
    if (this.mistake === 'a new primary trusts its rows of leases') return false
    state.phase = 'blind'
    state.epoch = this.newEpoch()
    state.closing = this.newClosing()
    return true
  }

  /** The usual commit of a process that runs alone skips the leases. */
  private mayHoldLeases({ id }: Author): boolean {
    const { epoch, phase, timeline } = this.state
    const isNew = timeline !== this.timeline
    if (
      isNew ||
      (phase === 'blind' &&
        this.mistake !== 'a lone process does not wait after a takeover that another one noted')
    )
      return true
    return this.others(id).some(([, row]) => !row.isFenced || row.leaseEpoch === epoch)
  }

  private nameOfClosing(): number {
    const isByEpoch = this.mistake === 'a writer that waited before a crash is believed after it'
    return isByEpoch ? this.state.epoch : this.state.closing
  }

  private newClosing(): number {
    if (this.mistake === 'a new primary counts its epochs and closings from where the standby was')
      return this.state.closing + 1
    this.closings += 1
    return this.closings
  }

  private newEpoch(): number {
    if (this.mistake === 'a new primary counts its epochs and closings from where the standby was')
      return this.state.epoch + 1
    this.epochs += 1
    return this.epochs
  }

  private others(id: string): [string, MemberRow][] {
    return [...this.state.members].filter(([other]) => other !== id)
  }
}
