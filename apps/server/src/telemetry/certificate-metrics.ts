import type { Metrics } from './metrics.ts'

/** Registers when the certificate of the listener expires. */
export function watchCertificate(metrics: Metrics, certificate: { readonly expiresAt: number }): void {
  metrics.gauge(
    'latchkey_tls_certificate_expiry_timestamp_seconds',
    'When the certificate of the listener expires, or the first of its intermediate authorities: Unix time.',
    () => certificate.expiresAt / 1_000,
    'min',
  )
}
