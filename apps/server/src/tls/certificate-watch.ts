/** Keeps the certificate of the listener current without a restart, and warns of its expiry. */
import type { Logger } from 'pino'
import type { Metrics } from '../telemetry/metrics.ts'
import { type ListenerTls, type ListenerTlsPaths, readListenerTls } from './listener-tls.ts'

interface CertificateWatchOptions {
  readonly paths: ListenerTlsPaths
  readonly current: ListenerTls
  /** Makes the listener use other files for new connections. */
  readonly apply: (tls: ListenerTls) => void
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Time between two checks of the files, in milliseconds. */
  readonly lookMs?: number
}

const LOOK_MS = 5_000
const DAY_MS = 86_400_000
const NOTICE_DAYS = [0, 1, 7, 30] as const

/** Registers when the certificate of the listener expires. */
export function watchCertificate(metrics: Metrics, certificate: { readonly expiresAt: number }): void {
  metrics.gauge(
    'latchkey_tls_certificate_expiry_timestamp_seconds',
    'When the certificate of the listener expires, or the first of its intermediate authorities: Unix time.',
    () => certificate.expiresAt / 1_000,
    'min',
  )
}

/** The smallest number of notice days within which a certificate expires, if any. */
export function noticeDays(msLeft: number): (typeof NOTICE_DAYS)[number] | undefined {
  return NOTICE_DAYS.find((days) => msLeft <= days * DAY_MS)
}

export class CertificateWatch {
  private readonly options: CertificateWatchOptions
  private readonly timer: NodeJS.Timeout
  private readonly onHangUp = () => void this.look(true)
  private tls: ListenerTls
  /** The notice that was last given for the certificate. */
  private noticed: number | undefined
  private problem: string | undefined
  private isLooking = false

  /** Checks from now on, and at every SIGHUP, until it is stopped. */
  constructor(options: CertificateWatchOptions) {
    this.options = options
    this.tls = options.current
    this.timer = setInterval(() => void this.look(false), options.lookMs ?? LOOK_MS)
    this.timer.unref()
    process.on('SIGHUP', this.onHangUp)
    this.notice()
  }

  get expiresAt(): number {
    return this.tls.expiresAt
  }

  stop(): void {
    clearInterval(this.timer)
    process.off('SIGHUP', this.onHangUp)
  }

  /** Unusable files, such as a new certificate before its key, leave the old ones in use. */
  private async look(isAsked: boolean): Promise<void> {
    if (this.isLooking && !isAsked) return
    this.isLooking = true
    const { paths, log } = this.options
    try {
      const tls = await readListenerTls(paths)
      if (tls !== undefined && tls.digest !== this.tls.digest) this.use(tls)
      else if (isAsked) log.info('the TLS files have not changed')
      this.problem = undefined
    } catch (error) {
      const { message } = error as Error
      if (isAsked || message !== this.problem) {
        log.error(
          { err: error },
          'the TLS files have changed and cannot be used; the old certificate stays in use',
        )
      }
      this.problem = message
    } finally {
      this.isLooking = false
    }
    this.notice()
  }

  private use(tls: ListenerTls): void {
    this.tls = tls
    this.noticed = undefined
    this.options.apply(tls)
    this.options.log.info(
      { expiresAt: new Date(tls.expiresAt).toISOString() },
      'new connections use the new TLS files',
    )
  }

  private notice(): void {
    const days = noticeDays(this.tls.expiresAt - Date.now())
    if (days === undefined || days === this.noticed) return
    this.noticed = days
    const expiresAt = new Date(this.tls.expiresAt).toISOString()
    if (days === 0)
      this.options.log.error({ expiresAt }, 'the TLS certificate has expired: clients refuse it')
    else
      this.options.log.warn(
        { expiresAt },
        `the TLS certificate expires in less than ${days === 1 ? 'a day' : `${days} days`}`,
      )
  }
}
