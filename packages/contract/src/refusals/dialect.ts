/** The two dialects of statuses: ours, and that of the clients of the reference. Decisions: dialects. */
import { ACL_ERRORS, type AclErrorCode } from '../errors.ts'
import { isReferenceFamily } from '../headers.ts'

export type Dialect = 'service' | 'reference'

/** `family`: the dialect of the header family that the request uses. The others hold for every client. */
export const STATUS_CODES = ['family', 'service', 'reference'] as const
export type StatusCodes = (typeof STATUS_CODES)[number]

/**
 * Where a route differs from the second column of the error table, by code, or by code and first name of the field, which
 * takes precedence. 200: the refusal is answered as a success, `true`.
 */
export type ReferenceStatuses = Readonly<Partial<Record<AclErrorCode | `${AclErrorCode} ${string}`, number>>>

/** The status of a refusal. @param route absent: the request reached none. */
export function statusOf(
  { code, field }: { readonly code: AclErrorCode; readonly field?: string | undefined },
  dialect: Dialect,
  route?: { readonly referenceStatuses?: ReferenceStatuses },
): number {
  const row: { readonly status: number; readonly reference?: number } = ACL_ERRORS[code]
  if (dialect === 'service') return row.status
  const [name = ''] = /[a-z]\w*/i.exec(field ?? '') ?? []
  const { [`${code} ${name}` as const]: ofField, [code]: ofRoute } = route?.referenceStatuses ?? {}
  return ofField ?? ofRoute ?? row.reference ?? row.status
}

/** The dialect of a request's family. @param prefix of its headers; of the first family if the request uses none. */
export function dialectOf(prefix: string, codes: StatusCodes): Dialect {
  if (codes !== 'family') return codes
  return isReferenceFamily(prefix) ? 'reference' : 'service'
}
