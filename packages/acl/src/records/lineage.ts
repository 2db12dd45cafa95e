/** Who wrote a record. The server sets it at each commit of a caller. */
import type { Author } from '@latchkey/contract'
import { DEFAULT_NAMESPACE, type Lineage, type TokenRecord } from './records.ts'

/** The author that a token acts as. The accessor of a login token says little, because it ends soon. */
export function authorOf(
  token: Pick<TokenRecord, 'AccessorID' | 'AuthMethod' | 'AuthMethodNamespace' | 'LoginIdentity'>,
): string {
  const { AccessorID, AuthMethod, AuthMethodNamespace: namespace, LoginIdentity } = token
  if (AuthMethod === '') return AccessorID
  const method =
    namespace === '' || namespace === DEFAULT_NAMESPACE ? AuthMethod : `${namespace}/${AuthMethod}`
  return `${method}:${LoginIdentity}`
}

/** A record as its author wrote it. @param isNew whether this is its first commit. */
export function signed<R extends Lineage>(record: R, author: string, isNew: boolean): R {
  return { ...record, ...(isNew ? { CreatedBy: author } : {}), ModifiedBy: author }
}

/** What `with=lineage` adds to a record in answers. */
export function showLineage(
  { CreatedBy = '', ModifiedBy = '' }: Lineage,
  showNamespace: boolean,
): { CreatedBy?: Author; ModifiedBy?: Author } {
  return {
    ...(CreatedBy === '' ? {} : { CreatedBy: showAuthor(CreatedBy, showNamespace) }),
    ...(ModifiedBy === '' ? {} : { ModifiedBy: showAuthor(ModifiedBy, showNamespace) }),
  }
}

function showAuthor(author: string, showNamespace: boolean): Author {
  const colon = author.indexOf(':')
  if (colon === -1) return { AccessorID: author }
  const method = author.slice(0, colon)
  const slash = method.indexOf('/')
  const namespace = slash === -1 ? DEFAULT_NAMESPACE : method.slice(0, slash)
  return {
    AuthMethod: method.slice(slash + 1),
    ...(showNamespace ? { AuthMethodNamespace: namespace } : {}),
    Identity: author.slice(colon + 1),
  }
}
