/** `import`: makes the tokens, policies, roles, auth methods and binding rules of another service here, with the same ids and secrets. */
import { ANONYMOUS_TOKEN_ACCESSOR_ID, GLOBAL_MANAGEMENT_POLICY_ID } from '@latchkey/acl'
import { HEADER_PREFIX_REFERENCE } from '@latchkey/contract'
import { type Client, LatchkeyError, PermissionDenied } from '@latchkey/sdk'
import { readSecret } from '../context/connection.ts'
import { CONFIG_SECRETS, differingFields, inTurns, isEmpty } from '../folder/kinds.ts'
import { CliError, EXIT } from '../frame/cli-error.ts'
import type { Action } from '../frame/command-spec.ts'
import type { Session } from '../frame/session.ts'
import { type Fields, keyOf, resourceOf } from '../records/find.ts'
import { manyOf } from '../records/kinds.ts'
import { compareDecisions } from './compare-decisions.ts'
import { bodyOf, MOVED_KINDS, type MovedKind, obstacleOf, type Records, readRecords } from './read-source.ts'

interface Item {
  readonly kind: MovedKind
  readonly record: Fields
}

interface Move {
  readonly writes: readonly Item[]
  /** Records that are the same here. */
  readonly same: readonly Item[]
  /** With the reason why a create cannot make them. */
  readonly leftOut: readonly (Item & { readonly reason: string })[]
}

const DIFFERENCES_SHOWN_MAX = 20

export const importRecords: Action = async (session, input) => {
  const address = input.text('from')
  if (address === undefined)
    throw new CliError('--from is missing: the address of the service to import from')
  const file = input.text('fromTokenFile')
  const secret = file === undefined ? session.io.env.LATCHKEY_FROM_TOKEN : readSecret(file)
  const from = { address, secret, namespace: undefined, datacenter: undefined }
  const there = await session.connect(from, HEADER_PREFIX_REFERENCE)
  const here = await session.client()
  const onProgress = (text: string) => session.progress.show(text)
  const theirs = await readRecords(there, { where: address, onProgress }).catch((cause: unknown) => {
    // Other errors would be explained for the service of the context.
    if (!(cause instanceof LatchkeyError)) throw cause
    const exitCode = cause instanceof PermissionDenied ? EXIT.denied : EXIT.unavailable
    throw new CliError(`cannot read the records of ${address}: ${cause.message}`, { exitCode, cause })
  })
  const ours = await readRecords(here, { where: (await session.connection()).address, onProgress })
  const move = planMove(theirs, ours, Date.now())
  await describeMove(move, session)
  const isCheck = input.flag('check')
  if (move.writes.length > 0 && !isCheck) {
    const but = move.leftOut.length === 0 ? '' : `, and leave out ${move.leftOut.length}`
    if (move.leftOut.length > 0 || session.isInteractive)
      await session.confirm(`Create these ${move.writes.length} records${but}?`)
    await writeAll(here, move.writes, session)
  }
  const present = [...move.same, ...(isCheck ? [] : move.writes)]
  const token = present.filter(({ kind }) => kind === 'token').map(({ record }) => record)
  const { tokens, questions, differences } = await compareDecisions(
    { ...theirs, token },
    { there, here, onProgress },
  )
  session.progress.clear()
  if (session.out.isTable) {
    for (const difference of differences.slice(0, DIFFERENCES_SHOWN_MAX))
      await session.out.text(`${difference}\n`)
    const equal = questions === 0 ? `${address} answers none of them` : 'all answers are equal'
    const outcome = differences.length === 0 ? equal : `${differences.length} answers differ`
    if (tokens > 0)
      await session.note(`Asked both services ${questions} questions as ${tokens} tokens: ${outcome}.`)
  } else {
    await session.out.data({
      Created: isCheck ? 0 : move.writes.length,
      Missing: isCheck ? move.writes.length : 0,
      Unchanged: move.same.length,
      LeftOut: move.leftOut.map(({ kind, record, reason }) => ({
        Kind: kind,
        ID: keyOf(kind, record),
        Reason: reason,
      })),
      ...{ Tokens: tokens, Questions: questions, Differences: differences },
    })
  }
  const isProven = differences.length === 0 && (questions > 0 || tokens === 0)
  return isProven && !(isCheck && move.writes.length > 0) ? EXIT.done : EXIT.differs
}

/** @throws CliError, before anything is written, for records that are here with other content. */
function planMove(theirs: Records, ours: Records, now: number): Move {
  const move = { writes: [] as Item[], same: [] as Item[], leftOut: [] as (Item & { reason: string })[] }
  const conflicts: string[] = []
  /** The names and ids of records that are left out. */
  const absent = new Set<string>()
  for (const kind of MOVED_KINDS) {
    const here = new Map(ours[kind].map((record) => [idOf(kind, record), record]))
    const holders = new Map(
      ours[kind].flatMap((record) => claimsOf(kind, record).map((claim) => [claim, record])),
    )
    for (const record of theirs[kind]) {
      const item = { kind, record }
      const id = idOf(kind, record)
      if (id === GLOBAL_MANAGEMENT_POLICY_ID) continue
      const existing = id === '' ? undefined : here.get(id)
      const fields = existing && differenceOf(kind, existing, record)
      const holder = claimsOf(kind, record).map((claim) => holders.get(claim))[0]
      const reason = existing ? undefined : (obstacleOf(kind, record, now) ?? danglingOf(record, absent))
      if (fields?.length === 0) move.same.push(item)
      else if (existing && isUnused(existing)) move.writes.push(item)
      else if (fields) conflicts.push(`${labelOf(item)} is here with other content: ${fields.join(', ')}`)
      else if (reason !== undefined) {
        move.leftOut.push({ ...item, reason })
        absent.add(`${kind} ${id}`)
      } else if (holder)
        conflicts.push(
          `${labelOf(item)}: its ${kind === 'token' ? 'secret' : 'name'} is that of ${idOf(kind, holder)} here`,
        )
      else move.writes.push(item)
    }
  }
  if (conflicts.length === 0) return move
  throw new CliError(`nothing was imported: ${conflicts.length} records are in the way`, {
    exitCode: EXIT.conflict,
    hints: [...conflicts, 'Delete or change them, here or there, and run the command again'],
  })
}

function idOf(kind: MovedKind, record: Fields): string {
  return keyOf(kind, record).toLowerCase()
}

/** What no other record of the kind may have. */
function claimsOf(kind: MovedKind, { Name, SecretID }: Fields): string[] {
  if (kind === 'token') return [String(SecretID)]
  return kind === 'policy' || kind === 'role' ? [String(Name).toLowerCase()] : []
}

/** The anonymous token, which every service makes, while it has no rights. */
function isUnused({ AccessorID, Policies, Roles, ServiceIdentities, NodeIdentities }: Fields): boolean {
  const links = [Policies, Roles, ServiceIdentities, NodeIdentities]
  return AccessorID === ANONYMOUS_TOKEN_ACCESSOR_ID && links.every(isEmpty)
}

function differenceOf(kind: MovedKind, one: Fields, other: Fields): string[] {
  const [a, b] = [one, other].map((record) => {
    const { Config, ...body } = bodyOf(kind, record)
    return { ...body, Config: loosely(Config) }
  })
  if (a === undefined || b === undefined) return []
  const secrets = kind === 'token' && one.SecretID !== other.SecretID ? ['SecretID'] : []
  return [...differingFields(kind, a, b), ...secrets]
}

/** A configuration whose names may be spelled in any case there, and whose secrets are not shown here. */
function loosely(config: unknown): Fields {
  const secrets = CONFIG_SECRETS.map((name) => name.toLowerCase())
  const fields = Object.entries(config ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(fields.filter(([name, value]) => !secrets.includes(name) && !isEmpty(value)))
}

/** The reason of a record that links one which is left out. */
function danglingOf(
  { Policies, Roles, AuthMethod }: Fields,
  absent: ReadonlySet<string>,
): string | undefined {
  const linksOf = (kind: MovedKind, links: unknown) =>
    Array.isArray(links)
      ? links.map(({ ID, Name }) => ({ key: `${kind} ${String(ID).toLowerCase()}`, Name }))
      : []
  const method = { key: `auth-method ${String(AuthMethod).toLowerCase()}`, Name: AuthMethod }
  const links = [...linksOf('policy', Policies), ...linksOf('role', Roles), method]
  const found = links.find(({ key }) => absent.has(key))
  return found && `it links ${found.Name}, which is left out`
}

function labelOf({ kind, record }: Item): string {
  const { Name, Description } = record
  const about = [Name, Description].find((text) => !isEmpty(text) && kind !== 'auth-method')
  return `${kind} ${keyOf(kind, record)}${about === undefined ? '' : ` (${about})`}`
}

async function describeMove({ writes, same, leftOut }: Move, session: Session): Promise<void> {
  session.progress.clear()
  if (!session.out.isTable) return
  const counts = MOVED_KINDS.map(
    (kind) => [kind, writes.filter((item) => item.kind === kind).length] as const,
  )
  const parts = counts
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${count === 1 ? kind.replace('-', ' ') : manyOf(kind)}`)
  const lines = leftOut.map((item) => `- ${labelOf(item)} cannot be made here: ${item.reason}\n`)
  await session.out.text(
    `${lines.join('')}${parts.join(', ') || 'Nothing'} to create, ${same.length} records are here, ${leftOut.length} left out.\n`,
  )
}

/** A few at a time, each kind before those that link it. Records that exist are not written again, so a repeat continues. */
async function writeAll(client: Client, writes: readonly Item[], session: Session): Promise<void> {
  let done = 0
  for (const kind of MOVED_KINDS) {
    const resource = resourceOf(client, kind)
    const keepsId = kind === 'policy' || kind === 'role' || kind === 'binding-rule'
    const items = writes.filter((item) => item.kind === kind)
    await inTurns(items, async (item) => {
      const body = bodyOf(kind, item.record)
      const id = keyOf(kind, item.record)
      try {
        if (id === ANONYMOUS_TOKEN_ACCESSOR_ID) await resource.update(id, body)
        else await resource.create(body, keepsId ? { import: true } : {})
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error)
        throw new CliError(`cannot create ${labelOf(item)}: ${problem}`, {
          exitCode: EXIT.failed,
          hints: [`${done} of ${writes.length} records were created. Run the same command again to continue`],
          cause: error,
        })
      }
      done += 1
      session.progress.show(`${done} of ${writes.length} records …`)
    })
  }
  session.progress.clear()
  if (session.out.isTable) await session.note(`Created ${done} records.`)
}
