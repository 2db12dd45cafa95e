/** Verifies tokens of Kubernetes service accounts with the API of the cluster. Decisions: login. */
import type { KubernetesConfig, LoginRefusal, Verification } from '@latchkey/acl'
import { type Outgoing, type OutgoingAnswer, OutgoingError } from '../outgoing/outgoing.ts'
import { isJsonObject, type JsonObject, readJson } from './foreign-json.ts'
import { hasCompactForm } from './verify-jwt.ts'

const ANSWER_BYTES_MAX = 262_144
/** Anyone who may annotate a service account chooses the name under which it logs in, unless the method ignores it. */
const NAME_ANNOTATION = 'consul.hashicorp.com/service-name'

/** Verified claims are `namespace`, `name` and `uid` of the service account, and its user name as `sub`. */
export async function verifyServiceAccount(
  outgoing: Outgoing,
  config: KubernetesConfig,
  bearer: string,
): Promise<Verification> {
  if (!hasCompactForm(bearer)) return refused('token_malformed')
  const send: Send = (path, body) => {
    const authorization = { Authorization: `Bearer ${config.ServiceAccountJWT.trim()}` }
    const content =
      body === undefined ? {} : { body, headers: { ...authorization, 'Content-Type': 'application/json' } }
    const url = kubernetesUrl(config) + path
    const { CACert: ca } = config
    return outgoing.send({ url, ca, bytesMax: ANSWER_BYTES_MAX, headers: authorization, ...content })
  }
  try {
    const review = await reviewOf(send, bearer, config)
    if (typeof review === 'string') return refused(review)
    const { namespace, name, uid } = review
    const sub = `system:serviceaccount:${namespace}:${name}`
    const claims = { sub, namespace, name, ...(uid === undefined ? {} : { uid }) }
    if (config.IgnoreNameAnnotation) return { outcome: 'verified', claims }
    const [where, which] = [namespace, name].map(encodeURIComponent)
    const answer = await send(`/api/v1/namespaces/${where}/serviceaccounts/${which}`)
    if (answer.status === 404) return refused('not_a_service_account')
    return {
      outcome: 'verified',
      claims: { ...claims, name: annotatedName(readAnswer(answer, [200])) ?? name },
    }
  } catch (cause) {
    return { outcome: 'provider_unavailable', cause }
  }
}

/** Sends a request to the API of the cluster; with a body, a POST. @throws OutgoingError */
type Send = (path: string, body?: string) => Promise<OutgoingAnswer>

function refused(reason: LoginRefusal): Verification {
  return { outcome: 'refused', reason }
}

interface ServiceAccount {
  readonly namespace: string
  readonly name: string
  readonly uid: string | undefined
}

/** @returns the account of the token, or why the token is refused. @throws OutgoingError */
async function reviewOf(
  send: Send,
  token: string,
  { BoundAudiences: audiences = [] }: KubernetesConfig,
): Promise<ServiceAccount | LoginRefusal> {
  const spec = audiences.length === 0 ? { token } : { token, audiences }
  const review = { kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', spec }
  const answer = await send('/apis/authentication.k8s.io/v1/tokenreviews', JSON.stringify(review))
  const { status } = readAnswer(answer, [200, 201])
  if (!isJsonObject(status)) throw new OutgoingError('not a review')
  return readReview(status, audiences)
}

/** The address of the API without a trailing slash. A bare host means https. */
export function kubernetesUrl({ Host }: KubernetesConfig): string {
  return (Host.includes('://') ? Host : `https://${Host}`).replace(/\/+$/, '')
}

function readAnswer({ status, body }: OutgoingAnswer, expected: readonly number[]): JsonObject {
  if (!expected.includes(status)) throw new OutgoingError('status not 200', { status })
  return readJson(body, 'not a review')
}

function readReview(status: JsonObject, audiences: readonly string[]): ServiceAccount | LoginRefusal {
  if (status.authenticated !== true || (status.error !== undefined && status.error !== ''))
    return 'review_refused'
  // An API that does not support audiences leaves them out of its answer.
  const { audiences: accepted = [] } = status
  const isForUs = Array.isArray(accepted) && accepted.some((each) => audiences.some((ours) => ours === each))
  if (audiences.length > 0 && !isForUs) return 'audience_unmatched'
  return isJsonObject(status.user) ? readUser(status.user) : 'not_a_service_account'
}

/** The names that Kubernetes allows. Nothing else enters a path, not even encoded. */
const NAMESPACE = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
const ACCOUNT_NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/

function readUser({ username, uid }: JsonObject): ServiceAccount | LoginRefusal {
  if (typeof username !== 'string') return 'not_a_service_account'
  const [system, kind, namespace = '', name = '', ...more] = username.split(':')
  const isAccount = system === 'system' && kind === 'serviceaccount' && more.length === 0
  if (!isAccount || !NAMESPACE.test(namespace) || !ACCOUNT_NAME.test(name)) return 'not_a_service_account'
  return { namespace, name, uid: typeof uid === 'string' ? uid : undefined }
}

/** An annotation that exists replaces the name, even an empty one. */
function annotatedName({ metadata }: JsonObject): string | undefined {
  const annotations = isJsonObject(metadata) ? metadata.annotations : undefined
  const name = isJsonObject(annotations) ? annotations[NAME_ANNOTATION] : undefined
  return typeof name === 'string' ? name : undefined
}
