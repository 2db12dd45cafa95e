/** Findings of `latchkey-server doctor` about certificates: those in files, and that of a running server. */

import type { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Config } from '../config/config.ts'
import { StartError } from '../start-error.ts'
import { certificatesIn, readListenerTls } from '../tls/listener-tls.ts'
import { messageOf } from '../tls/message-of.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const DAY_MS = 86_400_000
const EXPIRY_DAYS_WARN = 30
const CONNECT_MS = 2_000

/** @param files by the settings that name them; each may contain several certificates. @param now in milliseconds. */
export function checkCertificates(files: Readonly<Record<string, string>>, now: number): readonly Finding[] {
  return Object.entries(files).map(([setting, path]) => {
    try {
      return judge(`${setting} (${path})`, certificatesIn(setting, path, readFileSync(path, 'utf8')), now)
    } catch (error) {
      const problem =
        error instanceof StartError ? error.message : `${setting} (${path}): ${messageOf(error)}`
      return fail('certificate', problem, 'Write a certificate in PEM format to this file.')
    }
  })
}

/** Reports on the certificate that expires first, and names its subject if there are several. */
function judge(file: string, certificates: readonly X509Certificate[], now: number): Finding {
  const nameOf = (certificate: X509Certificate) =>
    certificates.length === 1 ? file : `${certificate.subject.replaceAll('\n', ', ')} in ${file}`
  const early = certificates.find(({ validFromDate }) => validFromDate.getTime() > now)
  if (early) {
    const found = `${nameOf(early)} is not valid before ${dayOf(early.validFromDate)}`
    return fail(
      'certificate',
      found,
      'Correct the clock of this machine, or use the older certificate until then.',
    )
  }
  const first = certificates.reduce((a, b) => (b.validToDate < a.validToDate ? b : a))
  const days = Math.floor((first.validToDate.getTime() - now) / DAY_MS)
  const until = dayOf(first.validToDate)
  if (days < 0) return fail('certificate', `${nameOf(first)} expired on ${until}`, 'Replace it.')
  const found = `${nameOf(first)} is valid until ${until}`
  return days < EXPIRY_DAYS_WARN
    ? warn('certificate', found, `Replace it within ${days} days.`)
    : ok('certificate', found)
}

/**
 * Checks whether a server could start with its TLS files, and whether the running one uses them. Reports nothing about
 * a listener without TLS, or if nothing listens.
 */
export async function checkListener(
  config: Pick<Config, 'host' | 'port' | 'tlsCert' | 'tlsKey' | 'tlsClientCa'>,
): Promise<readonly Finding[]> {
  const { tlsCert } = config
  if (tlsCert === undefined) return []
  try {
    await readListenerTls(config)
  } catch (error) {
    if (!(error instanceof StartError)) throw error
    return [fail('listener', error.message, 'Correct the file: no server can start with it.')]
  }
  const [own] = certificatesIn('LATCHKEY_TLS_CERT', tlsCert, readFileSync(tlsCert, 'utf8'))
  const presented = await presentedAt(config)
  if (presented === undefined) return []
  const address = `${config.host}:${config.port}`
  if (typeof presented === 'string') {
    const todo = 'Check what listens at this address; the log of the server says whether it uses TLS.'
    return [fail('listener', `there is no TLS at ${address}: ${presented}`, todo)]
  }
  if (presented.fingerprint256 === own?.fingerprint256)
    return [ok('listener', `${address} presents this certificate`)]
  const found = `${address} presents another certificate, valid until ${dayOf(presented.validToDate)}`
  return [
    warn(
      'listener',
      found,
      'A server uses new files within 5 seconds; if it does not, its log has the reason.',
    ),
  ]
}

/** @returns the presented certificate, or the problem; undefined if nothing listens. */
function presentedAt({
  host,
  port,
}: Pick<Config, 'host' | 'port'>): Promise<X509Certificate | string | undefined> {
  return new Promise((resolve) => {
    const name = isIP(host) === 0 ? { servername: host } : {}
    // Clients decide whom they trust.
    const socket = connect({ host: reachable(host), port, rejectUnauthorized: false, ...name })
    const finish = (result: X509Certificate | string | undefined) => {
      resolve(result)
      socket.destroy()
    }
    socket.setTimeout(CONNECT_MS, () => finish('no answer'))
    socket.once('secureConnect', () => finish(socket.getPeerX509Certificate()))
    socket.once('error', (error: NodeJS.ErrnoException) =>
      finish(error.code === 'ECONNREFUSED' ? undefined : messageOf(error)),
    )
  })
}

/** An address of this machine for a listener on all of its addresses. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  return host === '::' ? '::1' : host
}

function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10)
}
