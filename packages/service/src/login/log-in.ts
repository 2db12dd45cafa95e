/** Creates a token from verified claims. Decisions: login. */
import {
  type AuthMethodRecord,
  attributesOf,
  authMethodKey,
  beginEvaluation,
  type Claims,
  concludeEvaluation,
  type Directory,
  evaluateRule,
  hasLinks,
  isOrphan,
  type LoginEvaluation,
  type LoginMeta,
  loginIdentity,
  loginToken,
  type PreparedLogin,
  planLogin,
  prepareNamespaceRule,
  prepareRule,
  sizeOfRule,
  type TokenRecord,
} from '@latchkey/acl'
import { AclError, type Token } from '@latchkey/contract'
import type { Context, JsonAnswer } from '../handler.ts'
import { isSecondary } from '../options.ts'
import { put } from '../store/changes.ts'
import { created, decideAndCommit } from '../store/commit.ts'
import { shownToWriter } from '../tokens/stored-token.ts'
import { STEPS_PER_TURN, StepCounter, stepsOf, type Turns } from '../turns.ts'

interface VerifiedLogin {
  readonly method: AuthMethodRecord
  readonly claims: Claims
  readonly meta: LoginMeta | undefined
}

/**
 * Creates the token of a login.
 * @throws AclError `login_refused`, `login_unbound`, `too_many_live_tokens`; `auth_method_unknown` if the method was
 *   deleted during the login.
 */
export async function logIn(call: Context, login: VerifiedLogin): Promise<JsonAnswer<Token>> {
  const { service } = call
  const { store } = service
  const token = await decideAndCommit(store, async () => {
    const record = await decideToken(call, login, store.directory())
    return { changes: [put('tokens', record)], answer: (index) => created(record, index) }
  })
  // The directory now reflects deletions before the commit. If the method is gone, or no links remain, the token must be
  // deleted.
  const directory = store.directory()
  const isDead = isOrphan(token, directory)
  const Roles = token.Roles.filter(({ ID }) => directory.role(ID))
  if (!isDead && hasLinks({ ...token, Roles })) return shownToWriter({ ...call, directory }, token)
  await store.commit([{ table: 'tokens', op: 'delete', record: token, expect: undefined }])
  throw isDead
    ? authMethodUnknown(call, login.method.Name)
    : new AclError('login_unbound', 'Permission denied')
}

async function decideToken(
  call: Context,
  { method, claims, meta }: VerifiedLogin,
  directory: Directory,
): Promise<TokenRecord> {
  const { clock, random, datacenter } = call.service
  const current = directory.authMethod(method.Namespace, method.Name)
  if (current?.Generation !== method.Generation) throw authMethodUnknown(call, method.Name)
  const evaluation = await evaluationOf(call, current, { claims, directory })
  // A former primary keeps its auth methods, but only a primary creates global tokens.
  if (method.TokenLocality === 'global' && isSecondary(call.service)) throw elsewhere(call)
  const plan = planLogin(evaluation, {
    now: clock.now(),
    datacenter,
    identity: loginIdentity(claims),
    ...(meta === undefined ? {} : { meta }),
  })
  return loginToken(plan, random)
}

const cache = new WeakMap<AuthMethodRecord, { readonly version: number; prepared: Promise<PreparedLogin> }>()

/** Evaluates a login. Selectors and bind names are parsed once for all logins, until the directory changes. */
export async function evaluationOf(
  call: Context,
  method: AuthMethodRecord,
  { claims, directory }: { readonly claims: Claims; readonly directory: Directory },
): Promise<LoginEvaluation> {
  const { service, turns, signal, loginLimits } = call
  const known = cache.get(method)
  const { version } = directory
  // Concurrent logins share this work, so a disconnecting client does not stop it.
  const prepared = known?.version === version ? known.prepared : prepare(method, directory, turns)
  cache.set(method, { version, prepared })
  const login = await prepared
  const begun = beginEvaluation(login, claims, directory, service.edition === 'extended')
  const rules = begun.fault
    ? []
    : login.rules.map((rule) => {
        const { patterns, length } = sizeOfRule(rule, begun)
        return { rule, steps: stepsOf(length) * (1 + STEPS_PER_PATTERN * patterns) }
      })
  const evaluate = async () => {
    const counter = new StepCounter({ turns, signal })
    const evaluated: ReturnType<typeof evaluateRule>[] = []
    for (const { rule, steps } of rules) {
      await counter.count(steps)
      evaluated.push(evaluateRule(rule, begun))
    }
    return concludeEvaluation(begun, evaluated)
  }
  const isShort = rules.reduce((sum, { steps }) => sum + steps, 0) < STEPS_PER_TURN
  return isShort ? evaluate() : loginLimits.methodSemaphore(authMethodKey(method)).run(evaluate, { signal })
}

/** Compiling the regular expressions of a long selector takes most of a turn. */
async function prepare(method: AuthMethodRecord, directory: Directory, turns: Turns): Promise<PreparedLogin> {
  const attributes = attributesOf(method)
  const counter = new StepCounter({ turns })
  const namespaceRules: PreparedLogin['namespaceRules'][number][] = []
  for (const rule of method.NamespaceRules) {
    await counter.count(rule.Selector.length)
    namespaceRules.push(prepareNamespaceRule(rule, attributes))
  }
  const rules: PreparedLogin['rules'][number][] = []
  for (const rule of directory.bindingRulesOf(method).toSorted((a, b) => (a.ID < b.ID ? -1 : 1))) {
    await counter.count(rule.Selector.length)
    rules.push(prepareRule(rule, attributes))
  }
  return { method, rules, namespaceRules }
}

/** Cost of matching a regular expression against one claim, even a short one. */
const STEPS_PER_PATTERN = 16

function elsewhere({ service }: Context): AclError {
  const primary = JSON.stringify(service.primaryDatacenter)
  const message = `Permission denied: the tokens of the auth method are global, and only the primary datacenter ${primary} creates them`
  return new AclError('login_refused', message)
}

/** The refusal for an unknown method; from 1.9.6 on, its text includes the name. */
export function authMethodUnknown({ service }: Context, name: string): AclError {
  const tail = service.profile.has('login.namesMethod')
    ? `: auth method ${JSON.stringify(name)} not found`
    : ''
  return new AclError('auth_method_unknown', `ACL not found${tail}`)
}
