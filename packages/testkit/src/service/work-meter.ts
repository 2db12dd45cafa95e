/** Counts work as executed code blocks, with V8's profiler: independent of the machine and its load. */
import { type Profiler, Session } from 'node:inspector/promises'
import type { Turns } from '@latchkey/service'

export class WorkMeter {
  private readonly session = new Session()

  async start(): Promise<void> {
    this.session.connect()
    await this.session.post('Profiler.enable')
    await this.session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  async stop(): Promise<void> {
    await this.session.post('Profiler.stopPreciseCoverage')
    this.session.disconnect()
  }

  /** Blocks executed since the last call, in all loaded code. */
  async take(): Promise<number> {
    const { result } = await this.session.post('Profiler.takePreciseCoverage')
    return result.reduce((sum, script) => sum + blocksOf(script), 0)
  }
}

function blocksOf({ functions }: Profiler.ScriptCoverage): number {
  let blocks = 0
  for (const { ranges } of functions) for (const { count } of ranges) blocks += count
  return blocks
}

/** Turns of the event loop that measure their work. */
export class MeasuredTurns implements Turns {
  private readonly meter: WorkMeter
  private work: number[] = []
  private isSum = false

  constructor(meter: WorkMeter) {
    this.meter = meter
  }

  async next(): Promise<void> {
    if (this.isSum) return
    this.work.push(await this.meter.take())
  }

  /** The work of all turns in one measurement, which is much faster. */
  async sumDuring(something: () => Promise<unknown>): Promise<number> {
    await this.meter.take()
    this.isSum = true
    try {
      await something()
    } finally {
      this.isSum = false
    }
    return this.meter.take()
  }

  /** The work of each turn of an operation. */
  async during(something: () => Promise<unknown>): Promise<readonly number[]> {
    await this.meter.take()
    this.work = []
    await something()
    await this.next()
    return this.work
  }
}
