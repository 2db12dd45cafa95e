import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'

/** Logs when exports begin to fail and when they succeed again, instead of each failure. */
export class WatchedExporter implements SpanExporter {
  private readonly exporter: SpanExporter
  private readonly log: Pick<Logger, 'info' | 'warn'>
  private hasFailed = false

  constructor(exporter: SpanExporter, log: Pick<Logger, 'info' | 'warn'>) {
    this.exporter = exporter
    this.log = log
  }

  /** Whether the last export failed. */
  get isFailing(): boolean {
    return this.hasFailed
  }

  export(spans: ReadableSpan[], onResult: (result: ExportResult) => void): void {
    this.exporter.export(spans, (result) => {
      this.note(result)
      onResult(result)
    })
  }

  forceFlush(): Promise<void> {
    return this.exporter.forceFlush?.() ?? Promise.resolve()
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown()
  }

  /** Records that there is no time left for an export in flight. */
  giveUp(): void {
    this.note({ code: ExportResultCode.FAILED, error: new Error('the collector did not answer in time') })
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
