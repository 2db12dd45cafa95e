/** Import of a legacy token list: an extension, for data from before 1.4.0. Spec 9.2. */
import type { DumpRecord, LegacyFinding, TokenRecord } from '@latchkey/acl'
import {
  checkLegacyRules,
  DumpScanner,
  DumpSyntaxError,
  fromLegacyToken,
  readLegacyRecord,
  withTokenHash,
} from '@latchkey/acl'
import { AclError, type LegacyToken } from '@latchkey/contract'
import { requireAuthority } from '../caller/authority.ts'
import { type Call, type Context, type Handler, json } from '../handler.ts'
import { put } from '../store/changes.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { isAsCreated } from '../tokens/builtins.ts'
import { partsOf, STEPS_PER_TURN, StepCounter, stepsOf, takeTurn } from '../turns.ts'

/** Tokens per look-up and per commit: few enough that other requests hardly wait. */
const TOKENS_PER_PART = 500
const BYTES_PER_TURN = 16_384
const STEPS_PER_RECORD = 5
/** Maximum number of problems listed in a refusal; the count includes all. */
const PROBLEMS_SHOWN_MAX = 50

/**
 * Imports the JSON of a legacy list. The whole list is read and checked first: if one record is invalid, nothing is changed.
 * Then it is written in commits of 500 tokens; if it is interrupted, the same call skips the tokens already written and
 * continues. A secret that exists with other content is a problem, not an update; but the tokens that the server itself
 * created take the content of their records, unless they have been changed since.
 *
 * With `check`, nothing is written or refused: the answer says what would be imported, and lists every problem. With
 * `position`, the list is part of a longer one, and `position` is the place of its first record.
 */
export const importLegacyHandler: Handler<'legacy.import'> = async (call) => {
  const { tokens, findings } = await readDump(call)
  const { fresh, unchanged, conflicts } = await compare(call, tokens)
  const problems = [...findings, ...conflicts]
  const errors = problems.filter((finding) => finding.severity === 'error')
  if (!call.query.check) {
    if (errors.length > 0) throw refusal(errors)
    for (const part of partsOf(fresh, TOKENS_PER_PART))
      await decideAndCommitFor(call, () => ({ changes: part.map(write), answer: () => undefined }))
  }
  const Problems = problems.map(({ position, code, message, severity }) => ({
    ...{ Position: position, Code: code, Message: message, Severity: severity },
  }))
  return json({ Imported: fresh.length, Unchanged: unchanged, Problems })
}

type Placed = { readonly position: number; readonly token: LegacyToken }

type Write = { readonly record: TokenRecord; readonly stored: TokenRecord | undefined }

async function readDump(call: Call<'legacy.import'>) {
  const { position: start = 0 } = call.query
  const seen = new Map<string, number>()
  const tokens: Placed[] = []
  const findings: LegacyFinding[] = []
  const counter = new StepCounter(call)
  for (const records of scanList(call.body)) {
    await counter.count(STEPS_PER_TURN)
    for (const record of records) {
      await counter.count(STEPS_PER_RECORD)
      const position = start + record.position
      const reading = readLegacyRecord(record.value, { position, seen })
      findings.push(...reading.findings)
      if (!reading.token) continue
      await counter.count(stepsOf(reading.token.Rules.length))
      findings.push(...checkLegacyRules(reading.token, position))
      tokens.push({ position, token: reading.token })
    }
  }
  return { tokens, findings }
}

/** The records of a list, in parts. @throws AclError `body_malformed`, `field_type`. */
function* scanList(body: Uint8Array): Generator<readonly DumpRecord[]> {
  const scanner = new DumpScanner()
  try {
    for (let at = 0; at < body.length; at += BYTES_PER_TURN) {
      const records = scanner.push(body.subarray(at, at + BYTES_PER_TURN))
      if (scanner.isLines) break
      yield records
    }
    if (!scanner.isLines) scanner.end()
  } catch (error) {
    if (!(error instanceof DumpSyntaxError)) throw error
    const { message, line, byte } = error
    const problem = `The body is not valid JSON: ${message} (line ${line}, byte ${byte})`
    throw new AclError('body_malformed', problem, { line })
  }
  if (scanner.isLines) throw new AclError('field_type', 'The body: expected an array of legacy tokens')
}

async function compare(call: Context, tokens: readonly Placed[]) {
  const fresh: Write[] = []
  const conflicts: LegacyFinding[] = []
  let unchanged = 0
  for (const part of partsOf(tokens, TOKENS_PER_PART)) {
    await takeTurn(call)
    // Concurrent, so that the store can batch the look-ups.
    const existing = await Promise.all(part.map(({ token }) => call.service.store.tokenBySecret(token.ID)))
    const writes = part.map(({ token }, i) => ({ record: fromLegacyToken(token), stored: existing[i] }))
    // Authorizes each record as if it were imported alone, even if nothing needs to be written.
    await requireAuthority(call, writes.map(write))
    for (const [i, { record, stored }] of writes.entries()) {
      const { Type, Description, Rules } = record
      if (!stored) fresh.push({ record, stored })
      else if (isSameToken(stored, record)) unchanged += 1
      else if (takesContent(stored, record))
        fresh.push({ record: withTokenHash({ ...stored, Type, Description, Rules }), stored })
      else {
        const position = part[i]?.position ?? 0
        const path = `[${position}].ID`
        const message = `${path} is the secret of a token that exists with other content`
        conflicts.push({ severity: 'error', code: 'id_duplicate', position, path, message })
      }
    }
  }
  return { fresh, unchanged, conflicts }
}

/** A migrated token has an accessor and perhaps a link, but is still the imported one. */
function isSameToken(existing: TokenRecord, record: TokenRecord): boolean {
  const { Type, Description, Rules } = existing
  return Type === record.Type && Description === record.Description && Rules === record.Rules
}

/** Whether to overwrite a token that the server created at its start, because the list may have another name or other rules. */
function takesContent(stored: TokenRecord, record: TokenRecord): boolean {
  return isAsCreated(stored) && (stored.Type === '' || stored.Type === record.Type)
}

const write = ({ record, stored }: Write) => put('tokens', record, stored)

function refusal(errors: readonly LegacyFinding[]): AclError {
  const shown = errors.slice(0, PROBLEMS_SHOWN_MAX).map((finding) => finding.message)
  const hidden = errors.length - shown.length
  const rest = hidden > 0 ? `\nand ${hidden} more` : ''
  return new AclError(
    'field_invalid',
    `Nothing was imported: ${errors.length} problem(s)\n${shown.join('\n')}${rest}`,
    { field: errors[0]?.path ?? '' },
  )
}
