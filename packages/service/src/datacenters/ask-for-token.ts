/** Asks the primary who a secret belongs to. Decisions: tokens of the primary. */
import { BLANK_TOKEN, DEFAULT_NAMESPACE, type StoredLink, type TokenRecord } from '@latchkey/acl'
import { AclError, buildPath, PROBLEM_JSON, REQUEST_ID_HEADER, type Token } from '@latchkey/contract'
import type { AskForToken } from '../caller/remote-tokens.ts'
import type { ServiceOptions } from '../options.ts'
import { DATACENTER_FAMILY, forwardedHeader } from '../request/headers.ts'
import { datacenterUnreachable } from './datacenters.ts'
import { collect } from './exchange.ts'

const ANSWER_BYTES_MAX = 1_048_576
/** How long a request waits for a primary that hangs: one whose token is known can be answered without it. */
const KNOWN_WAIT_MS = 2_000
const UNKNOWN_WAIT_MS = 5_000

/** @throws AclError `datacenter_unreachable` for every answer that is neither a token nor the refusal of an unknown secret. */
export function askForToken({
  datacenters,
  datacenter,
  primaryDatacenter: name = datacenter,
}: Pick<ServiceOptions, 'datacenters' | 'datacenter' | 'primaryDatacenter'>): AskForToken {
  return async (secretId, isKnown) => {
    if (!datacenters) throw datacenterUnreachable(name)
    const reply = await datacenters.send(name, {
      method: 'GET',
      url: `/v1${buildPath('tokens.self')}`,
      headers: {
        Accept: `${PROBLEM_JSON}, application/json`,
        [DATACENTER_FAMILY.token]: secretId,
        ...forwardedHeader({ from: datacenter, primary: name }),
        [REQUEST_ID_HEADER]: 'token-of-the-primary',
      },
      body: undefined,
      waitMs: 0,
      isOfKnownCaller: isKnown,
      signal: AbortSignal.timeout(isKnown ? KNOWN_WAIT_MS : UNKNOWN_WAIT_MS),
    })
    try {
      const answer = JSON.parse(new TextDecoder().decode(await collect(reply.body, ANSWER_BYTES_MAX)))
      if (reply.status === 200) return recordOf(answer as Token, secretId)
      if (reply.status === 403 && (answer as { code?: unknown }).code === 'caller_unknown') return undefined
    } catch (error) {
      // The text of the error may quote the secret.
      throw datacenterUnreachable(name, error instanceof AclError ? error : undefined)
    }
    throw datacenterUnreachable(name)
  }
}

/** A Local token of the primary gives no right here. */
function recordOf(token: Token, secretId: string): TokenRecord | undefined {
  if (token.Local) return undefined
  const { Policies, Roles, ServiceIdentities, NodeIdentities, Rules = '', Namespace, ExpirationTime } = token
  const { AccessorID, Description, CreateTime, Hash, CreateIndex, ModifyIndex } = token
  return {
    ...BLANK_TOKEN,
    ...{ AccessorID, Description, CreateTime, Hash, CreateIndex, ModifyIndex, Rules, ExpirationTime },
    SecretID: secretId,
    Policies: links(Policies),
    Roles: links(Roles),
    ServiceIdentities: ServiceIdentities ?? [],
    NodeIdentities: NodeIdentities ?? [],
    Namespace: Namespace ?? DEFAULT_NAMESPACE,
  }
}

function links(shown: Token['Policies']): readonly StoredLink[] {
  return (shown ?? []).map(({ ID }) => ({ ID }))
}
