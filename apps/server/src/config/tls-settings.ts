import { text } from './setting.ts'

const FILE_FORM = 'the path of a PEM file'

/** The settings about TLS on the listener, in the order of the documentation. */
export const TLS_SETTINGS = {
  tlsCert: text({
    env: 'LATCHKEY_TLS_CERT',
    doc: 'The server certificate, followed by the certificates of its intermediate authorities. With it, the server accepts only HTTPS.',
    fallback: undefined,
    accepts: FILE_FORM,
  }),
  tlsKey: text({
    env: 'LATCHKEY_TLS_KEY',
    doc: 'The private key of that certificate, not encrypted with a password.',
    fallback: undefined,
    accepts: FILE_FORM,
  }),
  tlsClientCa: text({
    env: 'LATCHKEY_TLS_CLIENT_CA',
    doc: 'The authorities that issue client certificates. With it, only clients that present such a certificate may connect. The server reads all three files again when they change, and on SIGHUP.',
    fallback: undefined,
    accepts: FILE_FORM,
  }),
} as const
