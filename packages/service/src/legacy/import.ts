/** Import of a legacy token list: an extension, for data that comes from below 1.4.0. Spec 9.2. */

import type { TokenRecord } from '@latchkey/acl'
import { checkLegacyRules, fromLegacyToken, type LegacyFinding, readLegacyRecord } from '@latchkey/acl'
import { AclError, decodeUtf8, type LegacyToken } from '@latchkey/contract'
import { decideAndCommitFor, requireAuthority } from '../caller/authority.ts'
import { type Answer, type Call, type Content, type Context, json } from '../handler.ts'
import type { Change } from '../store/store.ts'

/** Tokens of one look-up and of one commit: few enough that other requests hardly wait. */
const TOKENS_PER_PART = 500
/** Problems that a refusal names; all are counted. */
const PROBLEMS_SHOWN_MAX = 50

/**
 * Takes the JSON of a legacy list. The whole list is read and judged first: one bad record, and nothing is changed.
 * Then it is written in commits of 500 tokens; the same call again, after a break, finds those unchanged and continues.
 * A secret that exists with other content is a problem, not an update.
 *
 * With `check` nothing is written or refused: the answer says what would be imported, and every problem. With `position`
 * the list is a part of a longer one, and this is the place of its first record.
 */
export async function importLegacyHandler(call: Call<'legacy.import'>): Promise<Answer<'legacy.import'>> {
  const { tokens, findings } = readDump(call)
  const { fresh, unchanged, conflicts } = await compare(call, tokens)
  const problems = [...findings, ...conflicts]
  const errors = problems.filter((finding) => finding.severity === 'error')
  if (!call.query.check) {
    if (errors.length > 0) throw refusal(errors)
    for (const part of parts(fresh)) {
      await decideAndCommitFor(call, () => ({ changes: part.map(add), answer: () => undefined }))
    }
  }
  return json({ Imported: fresh.length, Unchanged: unchanged, Problems: problems.map(showFinding) })
}

interface Placed {
  readonly position: number
  readonly token: LegacyToken
}

function readDump({ body, query }: Call<'legacy.import'>): {
  readonly tokens: readonly Placed[]
  readonly findings: readonly LegacyFinding[]
} {
  const { position: start = 0 } = query
  const seen = new Map<string, number>()
  const tokens: Placed[] = []
  const findings: LegacyFinding[] = []
  for (const [i, value] of parseList(body).entries()) {
    const position = start + i
    const reading = readLegacyRecord(value, { position, seen })
    findings.push(...reading.findings)
    if (!reading.token) continue
    findings.push(...checkLegacyRules(reading.token, position))
    tokens.push({ position, token: reading.token })
  }
  return { tokens, findings }
}

/** The platform's own reader: a dump may be large, and what it repeats is found record by record. */
function parseList(body: Uint8Array): readonly unknown[] {
  let value: unknown
  try {
    value = JSON.parse(decodeUtf8(body))
  } catch (cause) {
    if (cause instanceof AclError) throw cause
    // The platform's message may quote the text, which holds secrets.
    const place = /position \d+(?: \(line \d+ column \d+\))?/.exec(
      cause instanceof Error ? cause.message : '',
    )?.[0]
    throw new AclError(
      'body_malformed',
      `The body is not valid JSON${place === undefined ? '' : ` at ${place}`}`,
      { cause },
    )
  }
  if (!Array.isArray(value)) throw new AclError('field_type', 'The body: expected an array of legacy tokens')
  return value
}

async function compare(call: Context, tokens: readonly Placed[]) {
  const fresh: TokenRecord[] = []
  const conflicts: LegacyFinding[] = []
  let unchanged = 0
  for (const part of parts(tokens)) {
    // All at once, so that the store can look them up together.
    const existing = await Promise.all(part.map(({ token }) => call.service.store.tokenBySecret(token.ID)))
    const records = part.map(({ token }) => fromLegacyToken(token))
    // As each alone would be, also where nothing would be written of it.
    await requireAuthority(
      call,
      records.map((record, i) => ({ ...add(record), expect: existing[i]?.ModifyIndex ?? 0 })),
    )
    for (const [i, { position, token }] of part.entries()) {
      const record = fromLegacyToken(token)
      const stored = existing[i]
      if (!stored) fresh.push(record)
      else if (isSameToken(stored, record)) unchanged += 1
      else conflicts.push(conflict(position))
    }
  }
  return { fresh, unchanged, conflicts }
}

/** A migrated token has an accessor, and perhaps a link, and is still the one that was imported. */
function isSameToken(existing: TokenRecord, record: TokenRecord): boolean {
  const { Type, Description, Rules } = existing
  return Type === record.Type && Description === record.Description && Rules === record.Rules
}

function conflict(position: number): LegacyFinding {
  const path = `[${position}].ID`
  const message = `${path} is the secret of a token that exists with other content`
  return { severity: 'error', code: 'id_duplicate', position, path, message }
}

function add(record: TokenRecord): Change {
  return { table: 'tokens', op: 'put', record, expect: 0 }
}

function refusal(errors: readonly LegacyFinding[]): AclError {
  const shown = errors.slice(0, PROBLEMS_SHOWN_MAX).map((finding) => finding.message)
  const hidden = errors.length - shown.length
  const rest = hidden > 0 ? `\nand ${hidden} more` : ''
  return new AclError(
    'field_invalid',
    `Nothing was imported: ${errors.length} problem(s)\n${shown.join('\n')}${rest}`,
    {
      field: errors[0]?.path ?? '',
    },
  )
}

type Problem = Content<'legacy.import'>['Problems'][number]

function showFinding({ position, code, message, severity }: LegacyFinding): Problem {
  return { Position: position, Code: code, Message: message, Severity: severity }
}

function* parts<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < list.length; start += TOKENS_PER_PART)
    yield list.slice(start, start + TOKENS_PER_PART)
}
