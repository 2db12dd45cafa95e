/**
 * Two datacenters under a virtual clock, run by a schedule: servers start, leave, crash, pause and come back with other versions while
 * each applies the rules of the upgrade. What happened is written down for a checker that knows nothing of the rules.
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
  StartRefused,
  withObservedStatus,
} from '@latchkey/acl'
import { aProfile } from './builders.ts'

export const DATACENTERS = ['dc1', 'dc2'] as const
/** dc1 is the primary. */
export type Datacenter = (typeof DATACENTERS)[number]

/** A place for one server process in a datacenter. */
export interface Slot {
  readonly datacenter: Datacenter
  readonly slot: number
}

export type Step =
  | ({ readonly kind: 'start'; readonly version: string; readonly aclEnabled: boolean } & Slot)
  | ({ readonly kind: 'leave' | 'crash' | 'pause' | 'resume' } & Slot)
  /** dc2 hears of the servers of dc1, or loses sight of them. */
  | { readonly kind: 'hear'; readonly reachable: boolean }
  /** Time passes, in which every running server beats. */
  | { readonly kind: 'pass'; readonly ms: number }
  /** Time passes without heartbeats, as with the database down; then the running servers beat, one after the other. */
  | { readonly kind: 'outage'; readonly ms: number }

/** What a checker may know. */
export type WorldEvent =
  | ({ readonly kind: 'started'; readonly version: string; readonly aclEnabled: boolean } & At & Slot)
  | ({ readonly kind: 'refused' | 'left' | 'crashed' | 'paused' | 'resumed' | 'beat' } & At & Slot)
  | ({ readonly kind: 'ended' } & At & { readonly datacenter: Datacenter; readonly by: number })

interface At {
  readonly at: number
}

interface Process extends Slot {
  readonly version: string
  readonly aclEnabled: boolean
  readonly isPaused: boolean
  readonly lastBeatAt: number
  /** Since when it beats without a gap. */
  readonly observedSince: number
}

export class ModeWorld {
  readonly history: WorldEvent[] = []
  private now = 0
  private readonly processes = new Map<string, Process>()
  private readonly members = new Map<string, Member>()
  private readonly recorded: Record<Datacenter, AclModeRecord> = {
    dc1: { mode: 'legacy' },
    dc2: { mode: 'legacy' },
  }
  private primaryMembers: readonly Member[] | undefined = undefined
  private readonly decide: typeof decideMode

  /** @param decide the rule, or a broken one that the checker must catch. */
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
      const primary = [...this.members.values()].filter((member) => member.datacenter === 'dc1')
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
      // A server that was paused notices the gap and must watch again.
      this.processes.set(key, { ...process, isPaused: step.kind === 'pause', observedSince: this.now })
      this.write(step.kind === 'pause' ? 'paused' : 'resumed', process)
      return
    }
    this.stop(process, step.kind === 'leave')
  }

  private start({ version, aclEnabled, datacenter, slot }: Extract<Step, { kind: 'start' }>): void {
    const process: Process = {
      datacenter,
      slot,
      version,
      aclEnabled,
      isPaused: false,
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

  /** A clean stop marks the row; a crash leaves it as it was. */
  private stop(process: Process, isClean: boolean): void {
    const row = this.members.get(keyOf(process))
    this.processes.delete(keyOf(process))
    if (isClean && row !== undefined) this.members.set(keyOf(process), { ...row, status: 'left' })
    this.write(isClean ? 'left' : 'crashed', process)
  }

  private running(): readonly Process[] {
    return [...this.processes.values()].filter((process) => !process.isPaused)
  }

  /** A server looks whether it may still run, and renews its row. */
  private beat(process: Process, after: 'went on' | 'came back'): void {
    if (!this.mayRun(process)) {
      this.stop(process, true)
      return
    }
    const { datacenter, version, aclEnabled, lastBeatAt } = process
    const mode = advertisedMode(aProfile(version), { aclEnabled, recorded: this.recorded[datacenter] })
    const id = keyOf(process)
    this.members.set(id, { id, datacenter, node: id, version, mode, heartbeatAt: this.now, status: 'alive' })
    const hadGap = after === 'came back' && this.now - lastBeatAt > MEMBER_FAILED_AFTER_MS
    const observedSince = hadGap ? this.now : process.observedSince
    this.processes.set(id, { ...process, lastBeatAt: this.now, observedSince })
    this.write('beat', process)
  }

  /** A server that knows of legacy mode looks at the others, and ends it where the rule says so. */
  private decideFor({ datacenter, slot }: Slot): void {
    const process = this.processes.get(keyOf({ datacenter, slot }))
    if (process === undefined) return
    const { aclEnabled, version, observedSince } = process
    for (const [key, member] of this.members) {
      const observed = withObservedStatus(member, this.now)
      if (isForgotten(observed, { now: this.now, observedSince })) this.members.delete(key)
    }
    if (!aProfile(version).has('upgrade.legacyMode') || !aclEnabled) return
    const { next } = this.decide({
      datacenter,
      primaryDatacenter: 'dc1',
      members: [...this.members.values()].map((member) => withObservedStatus(member, this.now)),
      primaryMembers: this.primaryMembers,
      recorded: this.recorded[datacenter],
    })
    if (next === 'legacy') return
    const before = this.recorded[datacenter]
    this.recorded[datacenter] = endLegacyMode(before, this.now)
    if (this.recorded[datacenter] !== before)
      this.history.push({ kind: 'ended', at: this.now, datacenter, by: slot })
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

  private write(
    kind: 'refused' | 'left' | 'crashed' | 'paused' | 'resumed' | 'beat',
    { datacenter, slot }: Slot,
  ): void {
    this.history.push({ kind, at: this.now, datacenter, slot })
  }
}

function keyOf({ datacenter, slot }: Slot): string {
  return `${datacenter}/${slot}`
}
