import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'

/** Maximum time of an export. The exporter has shorter limits, but some answers, such as 101, escape them. */
const EXPORT_MS_MAX = 60_000

const LATE: ExportResult = {
  code: ExportResultCode.FAILED,
  error: new Error('the collector did not answer in time'),
}

/** Logs when exports begin to fail and succeed again. Replaces an exporter whose export never ends. */
export class WatchedExporter implements SpanExporter {
  private readonly open: () => SpanExporter
  private readonly log: Pick<Logger, 'info' | 'warn'>
  private readonly msMax: number
  private exporter: SpanExporter
  private hasFailed = false

  constructor(open: () => SpanExporter, log: Pick<Logger, 'info' | 'warn'>, msMax = EXPORT_MS_MAX) {
    this.open = open
    this.log = log
    this.msMax = msMax
    this.exporter = open()
  }

  get isFailing(): boolean {
    return this.hasFailed
  }

  export(spans: ReadableSpan[], onResult: (result: ExportResult) => void): void {
    const { exporter } = this
    let hasEnded = false
    const end = (result: ExportResult) => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(timer)
      this.note(result)
      onResult(result)
    }
    const timer = setTimeout(() => {
      if (this.exporter === exporter) this.exporter = this.open()
      end(LATE)
    }, this.msMax)
    timer.unref()
    exporter.export(spans, end)
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush?.() ?? Promise.resolve()
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown()
  }

  /** Records that there is no time left for an export in flight. */
  giveUp(): void {
    this.note(LATE)
  }

  private note({ code, error }: ExportResult): void {
    const isFailing = code !== ExportResultCode.SUCCESS
    if (isFailing === this.hasFailed) return
    this.hasFailed = isFailing
    // Only the message: the error contains the collector's answer.
    if (isFailing)
      this.log.warn({ reason: error?.message }, 'traces cannot be exported; their spans are dropped')
    else this.log.info('traces are exported again')
  }
}
