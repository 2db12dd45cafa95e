/** The built-in records and the first management token. Decisions: bootstrap. */
import type { Directory, Random, TokenRecord } from '@latchkey/acl'
import {
  ANONYMOUS_TOKEN_ACCESSOR_ID,
  ANONYMOUS_TOKEN_SECRET_ID,
  BLANK_TOKEN,
  DEFAULT_NAMESPACE,
  fromLegacyToken,
  GLOBAL_MANAGEMENT_POLICY_ID,
  GLOBAL_MANAGEMENT_POLICY_NAME,
  globalManagementRules,
  randomUuid,
  showToken,
  withPolicyHash,
  withTokenHash,
} from '@latchkey/acl'
import { AclError, formatInstant } from '@latchkey/contract'
import { type Context, type Handler, json } from '../handler.ts'
import { isSecondary } from '../options.ts'
import { put, putSystem } from '../store/changes.ts'
import { created, decideAndCommit } from '../store/commit.ts'
import type { Change, Store } from '../store/store.ts'

/** Puts the token and the bootstrap record into one commit, so that concurrent calls cannot both succeed (RACE-01). */
export function bootstrapChanges(record: TokenRecord, directory: Directory): Change[] {
  const expect = directory.system('bootstrap')?.ModifyIndex ?? 0
  return [put('tokens', record), putSystem('bootstrap', { accessorId: record.AccessorID }, expect)]
}

/** Names under which a server creates the anonymous token and the initial management token. */
const ANONYMOUS_NAME = 'Anonymous Token'
const MANAGEMENT_NAMES: readonly string[] = ['Master Token', 'Initial Management Token']

/**
 * Whether a token is the anonymous or the initial management token, unchanged since a server created it. An import may give
 * such a token the name and rules that it has in the legacy cluster.
 */
export function isAsCreated({ CreateIndex, ModifyIndex, ...token }: TokenRecord): boolean {
  const { SecretID, Type, Description, Rules, Policies, Roles } = token
  if (CreateIndex !== ModifyIndex || Rules !== '') return false
  if (SecretID !== ANONYMOUS_TOKEN_SECRET_ID)
    return Type === 'management' && MANAGEMENT_NAMES.includes(Description)
  return Description === ANONYMOUS_NAME && Policies.length === 0 && Roles.length === 0
}

interface BuiltinsContext {
  readonly random: Random
  readonly now: number
  readonly initialManagementToken: string | undefined
  /** Whether policies and global tokens come from a primary datacenter. Default: false. */
  readonly isSecondary?: boolean
}

interface BuiltinsFound {
  readonly directory: Directory
  readonly anonymousToken: TokenRecord | undefined
  readonly initialManagementToken: TokenRecord | undefined
  readonly managementToken: TokenRecord | undefined
}

/**
 * The missing built-in records: the policy `global-management`, the anonymous token, the ID of the cluster and, if configured,
 * the initial management token. Any management token completes bootstrap, so that a legacy cluster cannot be taken over during
 * the upgrade. In a secondary, only the ID of the cluster.
 */
export function builtinChanges(found: BuiltinsFound, context: BuiltinsContext): Change[] {
  const { directory } = found
  const { random, now, initialManagementToken } = context
  if (context.isSecondary) return clusterChange(directory, random)
  const changes: Change[] = clusterChange(directory, random)
  if (!directory.policy(GLOBAL_MANAGEMENT_POLICY_ID)) changes.push(globalManagementPolicy())
  if (!found.anonymousToken) changes.push(put('tokens', anonymousToken(now)))
  if (initialManagementToken !== undefined && !directory.system('bootstrap')) {
    const exists = found.initialManagementToken
    const record = managementToken('Initial Management Token', random, now, initialManagementToken)
    changes.push(...bootstrapChanges(exists ?? record, directory).slice(exists ? 1 : 0))
  } else if (found.managementToken && !directory.system('bootstrap')) {
    changes.push(...bootstrapChanges(found.managementToken, directory).slice(1))
  }
  return changes
}

function clusterChange(directory: Directory, random: Random): Change[] {
  if (directory.system('cluster')) return []
  return [putSystem('cluster', { ID: randomUuid(random) }, 0)]
}

/**
 * The missing built-in records of a store before 1.4.0: the anonymous and the management token as legacy tokens, which get
 * accessors and a policy when legacy mode ends. Spec 9.2.
 */
export function legacyBuiltinChanges(found: BuiltinsFound, context: BuiltinsContext): Change[] {
  const { initialManagementToken } = context
  const changes: Change[] = []
  if (!found.anonymousToken) {
    const record = legacyToken(ANONYMOUS_TOKEN_SECRET_ID, ANONYMOUS_NAME, 'client')
    changes.push(put('tokens', record))
  }
  if (initialManagementToken !== undefined && !found.initialManagementToken) {
    const record = legacyToken(initialManagementToken, 'Master Token', 'management')
    changes.push(put('tokens', record))
  }
  return changes
}

/** If processes start concurrently on one store, the second finds what the first created. */
export async function ensureBuiltins(
  store: Store,
  context: BuiltinsContext,
  decide = builtinChanges,
): Promise<void> {
  const { initialManagementToken: secretId } = context
  const makeWhatIsMissing = () =>
    decideAndCommit(store, async () => {
      const directory = store.directory()
      const found = {
        directory,
        anonymousToken: await store.tokenBySecret(ANONYMOUS_TOKEN_SECRET_ID),
        initialManagementToken: secretId === undefined ? undefined : await store.tokenBySecret(secretId),
        managementToken: directory.system('bootstrap') ? undefined : await firstManagementToken(store),
      }
      return { changes: decide(found, context), answer: () => undefined }
    })
  await makeWhatIsMissing().catch(async (error: unknown) => {
    if (!(error instanceof AclError) || error.code !== 'id_in_use') throw error
    await store.refresh('consistent')
    await makeWhatIsMissing()
  })
}

async function firstManagementToken(store: Store): Promise<TokenRecord | undefined> {
  for await (const [first] of store.tokens({ management: true, limit: 1 })) return first
  return undefined
}

function legacyToken(ID: string, Name: string, Type: 'client' | 'management'): TokenRecord {
  return fromLegacyToken({ ID, Name, Type, Rules: '', CreateIndex: 0, ModifyIndex: 0 })
}

function globalManagementPolicy(): Change {
  const record = withPolicyHash({
    ID: GLOBAL_MANAGEMENT_POLICY_ID,
    Name: GLOBAL_MANAGEMENT_POLICY_NAME,
    Description: 'Builtin Policy that grants unlimited access',
    Rules: globalManagementRules(),
    Datacenters: undefined,
    Hash: '',
    CreateIndex: 0,
    ModifyIndex: 0,
    Namespace: DEFAULT_NAMESPACE,
  })
  return put('policies', record)
}

function anonymousToken(now: number): TokenRecord {
  return withTokenHash({
    ...BLANK_TOKEN,
    CreateTime: formatInstant(now),
    AccessorID: ANONYMOUS_TOKEN_ACCESSOR_ID,
    SecretID: ANONYMOUS_TOKEN_SECRET_ID,
    Description: ANONYMOUS_NAME,
  })
}

/** The type makes the token visible to the legacy API until its first update. */
export function managementToken(
  Description: string,
  random: Random,
  now: number,
  secretId?: string,
): TokenRecord {
  return withTokenHash({
    ...BLANK_TOKEN,
    CreateTime: formatInstant(now),
    Type: 'management',
    AccessorID: randomUuid(random),
    SecretID: secretId ?? randomUuid(random),
    Description,
    Policies: [{ ID: GLOBAL_MANAGEMENT_POLICY_ID }],
  })
}

/**
 * Works once, and afterwards only with a reset file. Decisions: bootstrap. A finished bootstrap is final, so the refusal needs
 * no database query. If another process has bootstrapped unnoticed, the commit conflicts and the retry refuses.
 */
export const bootstrapHandler: Handler<'tokens.bootstrap'> = (call) => {
  const { service } = call
  if (isSecondary(service)) {
    const message = `Permission denied: bootstrap in the primary datacenter ${JSON.stringify(service.primaryDatacenter)}`
    throw new AclError('bootstrap_elsewhere', message)
  }
  return decideAndCommit(service.store, async () => {
    const directory = service.store.directory()
    const done = directory.system('bootstrap')
    if (done) await requireReset(call, done.ModifyIndex)
    const record = managementToken('Bootstrap Token (Global Management)', service.random, service.clock.now())
    return {
      changes: bootstrapChanges(record, directory),
      answer: (index) => {
        const showNamespace = service.edition === 'extended'
        const token = showToken(created(record, index), { directory, showSecret: true, showNamespace })
        return json({ ID: token.SecretID, ...token })
      },
    }
  })
}

/** @throws AclError `bootstrap_done`, unless a reset file names the index. */
async function requireReset(call: Context, resetIndex: number): Promise<void> {
  const reset = await call.service.cluster.takeBootstrapReset(resetIndex)
  if (reset === 'accepted') return
  const index = `reset index: ${resetIndex}`
  if (reset === 'none')
    throw new AclError('bootstrap_done', `Permission denied: ACL bootstrap no longer allowed (${index})`)
  const message = `Invalid bootstrap reset index (specified ${reset.wrong}, ${index})`
  throw new AclError('bootstrap_reset_invalid', message)
}
