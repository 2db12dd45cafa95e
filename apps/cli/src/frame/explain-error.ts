/** The message and exit code of every error: what was missing, and how to get it. */
import { PathParameterError } from '@latchkey/contract/plain'
import * as sdk from '@latchkey/sdk'
import { adviceText, describePath, describeRight, levelsOf } from '../insight/rights.ts'
import { similarText } from '../records/find.ts'
import { EXIT, type ExitCode } from './cli-error.ts'
import type { Session } from './session.ts'

interface Explained {
  readonly message: string
  readonly hints: readonly string[]
  readonly exitCode: ExitCode
}

/** Explains an error of the service or of the request; `undefined` for other errors. */
export async function explainError(error: unknown, session: Session): Promise<Explained | undefined> {
  if (error instanceof PathParameterError) {
    // Names and keys are parts of URLs, which cannot contain all of them.
    const message = error.isMissing ? `${error.parameter} must not be empty` : error.message
    return { message, hints: [], exitCode: EXIT.usage }
  }
  // Of the right type, but for example no base64, or nested too deeply.
  if (error instanceof DOMException || error instanceof RangeError) {
    return { message: `an answer cannot be used: ${error.message}`, hints: [], exitCode: EXIT.failed }
  }
  if (!(error instanceof sdk.LatchkeyError)) return undefined
  const explained = await explain(error, session)
  const hints = [...explained.hints]
  if (error.maybeApplied)
    hints.push('The change may still have been applied: check before you repeat the command.')
  if (error.requestId !== undefined && explained.exitCode === EXIT.failed)
    hints.push(`Request ${error.requestId}`)
  return { ...explained, hints }
}

async function explain(error: sdk.LatchkeyError, session: Session): Promise<Explained> {
  const message = detailOf(error)
  const as = (exitCode: ExitCode, hints: readonly string[] = []) => ({ message, hints, exitCode })
  if (error instanceof sdk.PermissionDenied) return explainDenial(error, session)
  if (error instanceof sdk.NotFound) return as(EXIT.notFound)
  if (error instanceof sdk.Conflict) return as(EXIT.conflict)
  if (error instanceof sdk.Invalid) return as(EXIT.invalid, await hintsOfInvalid(error, session))
  if (error instanceof sdk.LegacyMode)
    return as(EXIT.invalid, ['To see the progress of the upgrade: latchkey status'])
  if (error instanceof sdk.Unavailable || error instanceof sdk.Timeout) return explainSilence(error, session)
  return { ...as(EXIT.failed), ...(error instanceof sdk.LoginFailed && { message: error.message }) }
}

/** The message without its prefix of method and status, which does not help people here. */
function detailOf(error: sdk.LatchkeyError): string {
  return error.message.replace(/^[\w.]+: (\d{3} )?/, '')
}

async function hintsOfInvalid({ code, field = '', line, column, message }: sdk.Invalid, session: Session) {
  if (code === 'link_unknown') {
    const [, kind] = /(Polic|Role)/.exec(field) ?? []
    const wanted = / name "(.*)"/.exec(message)?.[1] ?? ''
    if (kind === undefined) return []
    return [await similarText(await session.client(), kind === 'Role' ? 'role' : 'policy', wanted)]
  }
  if (code === 'acl_disabled') return ['The server runs without access control (LATCHKEY_ACL_ENABLED=off)']
  if (line === undefined) return []
  return [`At line ${line}, column ${column ?? 1} of the rules. To see all findings: latchkey lint FILE`]
}

async function explainSilence(error: sdk.Unavailable | sdk.Timeout, session: Session): Promise<Explained> {
  const { address, addressFrom } = await session.connection()
  const message = detailOf(error)
  if (error.status !== undefined) return { message, hints: [], exitCode: EXIT.unavailable }
  return {
    message: `no answer from ${address} (${addressFrom}): ${message}`,
    hints: [
      'Is the server running at this address? To use another one: --address, LATCHKEY_ADDR, or latchkey login ADDRESS',
    ],
    exitCode: EXIT.unavailable,
  }
}

const LOG_IN = [
  'Log in: latchkey login',
  'On a new server, create the first token: latchkey bootstrap',
  'In scripts: LATCHKEY_TOKEN or --token-file',
]

const BOOTSTRAPPED = [
  'The first token already exists. Log in with its secret: latchkey login',
  'If the secret is lost: write the reset index to the file acl-bootstrap-reset in the data directory of the server, and bootstrap again',
]

async function explainDenial(error: sdk.PermissionDenied, session: Session): Promise<Explained> {
  const { secret, tokenFrom } = await session.connection()
  const denied = (message: string, hints: readonly string[] = []) => ({
    message,
    hints,
    exitCode: EXIT.denied,
  })
  const { missing, code } = error
  if (missing !== undefined) {
    const needed = `this needs ${describeRight(missing)}, and`
    if (secret === undefined) return denied(`${needed} the anonymous token lacks it (${tokenFrom})`, LOG_IN)
    return denied(`${needed} your token lacks it`, [
      ...(await describeInstead(missing, session)),
      'To see which tokens have it: latchkey who-can, with a token that has acl:read',
    ])
  }
  if (code === 'bootstrap_done') return denied(detailOf(error), BOOTSTRAPPED)
  if (secret === undefined) return denied(`there is no token to present: ${tokenFrom}`, LOG_IN)
  if (code === 'caller_unknown') {
    return denied(`the service does not know the token from ${tokenFrom}: it was deleted or has expired`, [
      'Log in again: latchkey login',
    ])
  }
  return denied(detailOf(error))
}

/** What the token may do instead, and what would give the right. */
async function describeInstead(missing: sdk.MissingRight, session: Session): Promise<string[]> {
  try {
    const client = await session.client()
    const [self, answers] = await Promise.all([
      client.tokens.self(),
      client.authorize(
        levelsOf(missing).map((access) => ({
          Resource: missing.resource as 'acl',
          ...(missing.segment === undefined ? {} : { Segment: missing.segment }),
          Access: access,
        })),
        { explain: true },
      ),
    ])
    const best = answers.find(({ Allow }) => Allow)
    const refusal = answers[0]
    const name = self.Description === '' ? self.AccessorID : `${self.AccessorID} (${self.Description})`
    const has =
      best === undefined
        ? `Token ${name} has no such right: ${describePath(refusal?.Explanation)}`
        : `Token ${name} has ${describeRight({ ...missing, access: best.Access })} ${describePath(best.Explanation)}`
    const advice = adviceText(refusal)
    return advice === undefined ? [has] : [has, advice]
  } catch {
    // The explanation is optional: report the refusal without hints.
    return []
  }
}
