/** UUIDs in paths. */
import { checkPathId } from '@latchkey/acl'
import { type AnyRoute, ROUTE_LIST, type RouteName } from '@latchkey/contract'

/** Parameters that are UUIDs in the contract, with the reference's name of the record. */
const UUIDS: ReadonlyMap<RouteName, { readonly param: string; readonly what: string }> = new Map(
  ROUTE_LIST.flatMap((route) => uuidOf(route).map((found) => [route.name, found] as const)),
)

function uuidOf({ schemas, subject = '' }: AnyRoute) {
  return Object.entries(schemas.params?.shape ?? {}).flatMap(([param, schema]) => {
    const isUuid = 'meta' in schema && schema.meta()?.format === 'uuid'
    return isUuid ? [{ param, what: subject.slice(0, -` ${param}`.length) }] : []
  })
}

/**
 * Checks the UUID in a path, after the right and before the body.
 *
 * @throws AclError `id_invalid`.
 */
export function checkPathIds(route: AnyRoute, params: Readonly<Record<string, string>>): void {
  const uuid = UUIDS.get(route.name)
  if (uuid === undefined) return
  const id = params[uuid.param] ?? ''
  // An empty id here means a create on the path of an update.
  if (id !== '') checkPathId(id, uuid.what, uuid.param)
}
