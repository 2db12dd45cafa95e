/** The kinds of config entries. Decisions: intentions. */
import { AclError } from '../errors.ts'
import type { GateName } from '../gates.ts'
import type { Json } from '../json/json.ts'
import { shorten } from '../shared/shorten.ts'
import type { ServiceProfile } from '../versions/profile.ts'

/** Every kind, with the gate of the one that this service stores. The others answer 501. */
const KINDS: ReadonlyMap<string, GateName | undefined> = new Map([
  ['service-intentions', 'intentions.configEntries'],
  ...['service-defaults', 'proxy-defaults', 'service-router', 'service-splitter', 'service-resolver'].map(
    unbuilt,
  ),
  ...['ingress-gateway', 'terminating-gateway', 'mesh', 'exported-services'].map(unbuilt),
])

function unbuilt(kind: string): [string, undefined] {
  return [kind, undefined]
}

/**
 * Checks the kind of a written entry, before its fields, which depend on the kind. Its name may have any case.
 * @throws AclError `field_required`, `field_invalid`, `endpoint_not_built`.
 */
export function checkKindOf(body: Json, profile: ServiceProfile): void {
  if (body === null || typeof body !== 'object' || Array.isArray(body)) return
  const [, kind = ''] = Object.entries(body).find(([key]) => key.toLowerCase() === 'kind') ?? []
  if (kind === '' || kind === null) {
    const message = 'Payload does not contain a kind/Kind key at the top level'
    throw new AclError('field_required', message, { field: 'Kind' })
  }
  if (typeof kind !== 'string') return
  const gate = KINDS.get(kind)
  if (gate === undefined || !profile.has(gate)) throw kindRefusal(kind)
}

/** The refusal of a kind that this service does not store, or not in this version. */
export function kindRefusal(kind: string): AclError {
  if (!KINDS.has(kind) || KINDS.get(kind) !== undefined)
    return new AclError('field_invalid', `invalid config entry kind: ${shorten(kind)}`, { field: 'Kind' })
  return new AclError('endpoint_not_built', `This service does not store config entries of kind ${kind}`)
}
