/**
 * Two datacenters under a virtual clock, driven by a schedule: servers start, leave, crash, pause and return with other
 * versions, while each applies the rules of the upgrade. Records the history for an independent checker.
 */
import {
  type AclModeRecord,
  advertisedMode,
  assertCanStart,
  decideMode,
  endLegacyMode,
  isForgotten,
  MEMBER_FAILED_AFTER_MS,
  type Member,
  type MemberRow,
  observeMembers,
  StartRefused,
} from '@latchkey/acl'
import { aProfile } from './builders.ts'

export const DATACENTERS = ['dc1', 'dc2'] as const
/** dc1 is the primary. */
type Datacenter = (typeof DATACENTERS)[number]

/** A slot for one server process in a datacenter. */
export interface Slot {
  readonly datacenter: Datacenter
  readonly slot: number
}

export type Step =
  | ({ readonly kind: 'start'; readonly version: string; readonly aclEnabled: boolean } & Slot)
  | ({ readonly kind: 'stop' | 'leave' | 'crash' | 'pause' | 'resume' } & Slot)
  /** dc2 reaches the servers of dc1, or loses contact. */
  | { readonly kind: 'hear'; readonly reachable: boolean }
  /** Time passes with heartbeats of every running server. */
  | { readonly kind: 'pass'; readonly ms: number }
  /** Time passes without heartbeats, like a database outage; then the running servers send one each. */
  | { readonly kind: 'outage'; readonly ms: number }

/** What a checker may use. */
export type WorldEvent =
  | ({ readonly kind: 'started'; readonly version: string; readonly aclEnabled: boolean } & At & Slot)
  | ({ readonly kind: 'refused' | 'stopped' | 'left' | 'crashed' | 'paused' | 'resumed' | 'beat' } & At &
      Slot)
  | ({ readonly kind: 'ended' } & At & { readonly datacenter: Datacenter; readonly by: number })

interface At {
  readonly at: number
}

interface Process extends Slot {
  readonly version: string
  readonly aclEnabled: boolean
  readonly isPaused: boolean
  readonly startedAt: number
  readonly lastBeatAt: number
  /** When its current run of heartbeats without a gap began. */
  readonly observedSince: number
}

export class ModeWorld {
  readonly history: WorldEvent[] = []
  private now = 0
  private readonly processes = new Map<string, Process>()
  private readonly members = new Map<string, MemberRow>()
  private readonly recorded: Record<Datacenter, AclModeRecord> = {
    dc1: { mode: 'legacy' },
    dc2: { mode: 'legacy' },
  }
  private primaryMembers: readonly Member[] | undefined = undefined
  private readonly decide: typeof decideMode

  /** @param decide the real rule, or a broken one that the checker must detect. */
  constructor(decide: typeof decideMode = decideMode) {
    this.decide = decide
  }

  run(steps: readonly Step[]): this {
    for (const step of steps) this.step(step)
    return this
  }

  modeOf(datacenter: Datacenter): AclModeRecord['mode'] {
    return this.recorded[datacenter].mode
  }

  private step(step: Step): void {
    if (step.kind === 'pass') {
      this.now += step.ms
      for (const process of this.running()) this.beat(process, 'went on')
      for (const process of this.running()) this.decideFor(process)
      return
    }
    if (step.kind === 'outage') {
      this.now += step.ms
      for (const process of this.running()) {
        this.beat(process, 'came back')
        this.decideFor(process)
      }
      return
    }
    if (step.kind === 'hear') {
      const primary = this.observed().filter((member) => member.datacenter === 'dc1')
      this.primaryMembers = step.reachable ? primary : undefined
      return
    }
    if (step.kind === 'start') {
      this.start(step)
      return
    }
    const key = keyOf(step)
    const process = this.processes.get(key)
    if (process === undefined) return
    if (step.kind === 'pause' || step.kind === 'resume') {
      // A paused server notices the gap and must observe again.
      this.processes.set(key, { ...process, isPaused: step.kind === 'pause', observedSince: this.now })
      this.write(step.kind === 'pause' ? 'paused' : 'resumed', process)
      return
    }
    this.stop(process, step.kind)
  }

  private start({ version, aclEnabled, datacenter, slot }: Extract<Step, { kind: 'start' }>): void {
    const process: Process = {
      datacenter,
      slot,
      version,
      aclEnabled,
      isPaused: false,
      startedAt: this.now,
      lastBeatAt: this.now,
      observedSince: this.now,
    }
    if (this.processes.has(keyOf(process))) return
    if (!this.mayRun(process)) {
      this.write('refused', process)
      return
    }
    this.processes.set(keyOf(process), process)
    this.history.push({ kind: 'started', at: this.now, datacenter, slot, version, aclEnabled })
    this.beat(process, 'came back')
    this.decideFor(process)
  }

  /** A stop marks the row, leaving removes it, and a crash does neither. */
  private stop(process: Process, how: 'stop' | 'leave' | 'crash'): void {
    const key = keyOf(process)
    const row = this.members.get(key)
    this.processes.delete(key)
    if (how === 'stop' && row !== undefined) this.members.set(key, { ...row, stoppedAt: this.now })
    if (how === 'leave') this.members.delete(key)
    this.write(how === 'stop' ? 'stopped' : how === 'leave' ? 'left' : 'crashed', process)
  }

  private running(): readonly Process[] {
    return [...this.processes.values()].filter((process) => !process.isPaused)
  }

  /** A server checks whether it may continue, and renews its row. */
  private beat(process: Process, after: 'went on' | 'came back'): void {
    if (!this.mayRun(process)) {
      this.stop(process, 'stop')
      return
    }
    const { datacenter, version, aclEnabled, startedAt, lastBeatAt } = process
    const mode = advertisedMode(aProfile(version), { aclEnabled, recorded: this.recorded[datacenter] })
    const id = keyOf(process)
    const row = { id, datacenter, node: id, version, mode, startedAt, heartbeatAt: this.now }
    this.members.set(id, { ...row, stoppedAt: undefined })
    const hadGap = after === 'came back' && this.now - lastBeatAt > MEMBER_FAILED_AFTER_MS
    const observedSince = hadGap ? this.now : process.observedSince
    this.processes.set(id, { ...process, lastBeatAt: this.now, observedSince })
    this.write('beat', process)
  }

  /** A server that supports legacy mode leaves it if the rule allows. */
  private decideFor({ datacenter, slot }: Slot): void {
    const process = this.processes.get(keyOf({ datacenter, slot }))
    if (process === undefined) return
    const { aclEnabled, version, observedSince } = process
    for (const member of this.observed())
      if (isForgotten(member, { now: this.now, observedSince })) this.members.delete(member.id)
    if (!aProfile(version).has('upgrade.legacyMode') || !aclEnabled) return
    const { next } = this.decide({
      datacenter,
      primaryDatacenter: 'dc1',
      members: this.observed(),
      primaryMembers: this.primaryMembers,
      recorded: this.recorded[datacenter],
    })
    if (next === 'legacy') return
    const before = this.recorded[datacenter]
    this.recorded[datacenter] = endLegacyMode(before, this.now)
    if (this.recorded[datacenter] !== before)
      this.history.push({ kind: 'ended', at: this.now, datacenter, by: slot })
  }

  private observed(): readonly Member[] {
    return observeMembers([...this.members.values()], this.now)
  }

  private mayRun({ datacenter, version }: Process): boolean {
    try {
      const recorded = this.recorded[datacenter]
      assertCanStart({
        profile: aProfile(version),
        recorded,
        legacyRightsCount: 0,
        mayDropLegacyRights: false,
        flagName: '',
      })
      return true
    } catch (error) {
      if (error instanceof StartRefused) return false
      throw error
    }
  }

  private write(kind: Exclude<WorldEvent['kind'], 'started' | 'ended'>, { datacenter, slot }: Slot): void {
    this.history.push({ kind, at: this.now, datacenter, slot })
  }
}

function keyOf({ datacenter, slot }: Slot): string {
  return `${datacenter}/${slot}`
}
