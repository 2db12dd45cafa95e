import { checkBodyAccessor, checkDelete, cloneToken, createToken, updateToken } from '@latchkey/acl'
import { type Handler, json } from '../handler.ts'
import { laterFieldsOf } from '../reply/later-fields.ts'
import { inBodyNamespace } from '../request/namespace.ts'
import { put, remove } from '../store/changes.ts'
import { created, decideAndCommitFor, modified } from '../store/commit.ts'
import { shownToWriter, withToken } from './stored-token.ts'

/** Spec 4.2. */
export const createTokenHandler: Handler<'tokens.create'> = (call) => {
  const { service, body } = call
  const { namespace } = inBodyNamespace(call, body.Namespace)
  return decideAndCommitFor(call, () => {
    const directory = service.store.directory()
    const record = createToken(body, {
      now: service.clock.now(),
      random: service.random,
      directory,
      namespace,
    })
    return {
      changes: [put('tokens', record)],
      answer: (index) => shownToWriter(call, created(record, index)),
    }
  })
}

/** Spec 4.6. */
export const cloneTokenHandler: Handler<'tokens.clone'> = (call) => {
  const { service, body, params } = call
  const there = inBodyNamespace(call, body.Namespace)
  return decideAndCommitFor(call, () =>
    withToken(there, params.AccessorID, (source) => {
      const directory = service.store.directory()
      const record = cloneToken(source, body.Description, {
        now: service.clock.now(),
        random: service.random,
        directory,
      })
      return {
        changes: [put('tokens', record)],
        answer: (index) => shownToWriter(call, created(record, index)),
      }
    }),
  )
}

/** Spec 4.5. */
export const updateTokenHandler: Handler<'tokens.update'> = (call) => {
  const { service, body, params } = call
  const there = inBodyNamespace(call, body.Namespace)
  checkBodyAccessor(params.AccessorID, body)
  return decideAndCommitFor(call, () =>
    withToken(there, params.AccessorID, (existing) => {
      const record = updateToken(existing, body, {
        pathAccessorId: params.AccessorID,
        directory: service.store.directory(),
        kept: laterFieldsOf(service.profile),
      })
      return {
        changes: [put('tokens', record, existing)],
        answer: (index) => shownToWriter(call, modified(record, index)),
      }
    }),
  )
}

/** Spec 4.7: answers `true` once the record is deleted. */
export const deleteTokenHandler: Handler<'tokens.delete'> = (call) =>
  decideAndCommitFor(call, () =>
    withToken(call, call.params.AccessorID, (existing) => {
      checkDelete(existing, call.caller.token)
      return { changes: [remove('tokens', existing)], answer: () => json(true) }
    }),
  )
