import { BLANK_TOKEN, DEFAULT_NAMESPACE, type StoredLink, type TokenRecord } from '@latchkey/acl'
import { AclError, buildPath, PROBLEM_JSON, REQUEST_ID_HEADER, type Token } from '@latchkey/contract'
import type { AskForToken } from '../caller/remote-tokens.ts'
import type { ServiceOptions } from '../options.ts'
import { DATACENTER_FAMILY, forwardedHeader } from '../request/headers.ts'
import { datacenterUnreachable } from './datacenters.ts'
import { collect } from './exchange.ts'

const ANSWER_BYTES_MAX = 1_048_576
/** How long a request waits if the primary hangs. A request with a known token can be answered without it. */
const KNOWN_WAIT_MS = 2_000
const UNKNOWN_WAIT_MS = 5_000

/** How long a token waits for replication to deliver the policies and roles that it links. */
const LINKS_WAIT_MS = 2_000

/**
 * A token may be newer than the policies and roles here. It waits for those that it links, because one of them may deny
 * something. If they do not arrive, the token is unknown: an earlier answer could have rights that the token has since lost.
 *
 * @throws AclError `datacenter_unreachable` for every answer that is neither a token nor a refusal of an unknown secret.
 */
export function askForToken({
  datacenters,
  datacenter,
  primaryDatacenter: name = datacenter,
  store,
  clock,
}: ServiceOptions): AskForToken {
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
    let token: TokenRecord | undefined
    try {
      const answer = JSON.parse(new TextDecoder().decode(await collect(reply.body, ANSWER_BYTES_MAX)))
      if (reply.status === 403 && (answer as { code?: unknown }).code === 'caller_unknown') return undefined
      if (reply.status !== 200) throw datacenterUnreachable(name)
      token = recordOf(answer as Token, secretId)
    } catch (error) {
      // The error text may quote the secret.
      throw datacenterUnreachable(name, error instanceof AclError ? error : undefined)
    }
    return token && (await linksArrive(token, { store, clock })) ? token : undefined
  }
}

async function linksArrive(
  { Policies, Roles }: TokenRecord,
  { store, clock }: Pick<ServiceOptions, 'store' | 'clock'>,
): Promise<boolean> {
  const deadline = clock.now() + LINKS_WAIT_MS
  for (;;) {
    // Read before the directory, so that no change to it is missed.
    const seen = store.tableIndex('system')
    const directory = store.directory()
    if (Policies.every(({ ID }) => directory.policy(ID)) && Roles.every(({ ID }) => directory.role(ID)))
      return true
    const leftMs = deadline - clock.now()
    if (leftMs <= 0) return false
    await store.wait('system', seen, leftMs, undefined)
  }
}

/** A local token of the primary gives no rights here. */
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
