import { cloneToken, createToken } from '@latchkey/acl'
import type { Answer, Call } from '../handler.ts'
import { inBodyNamespace } from '../request/namespace.ts'
import { created, decideAndCommitFor } from '../store/commit.ts'
import { shownToWriter, withToken } from './stored-token.ts'

/** Spec 4.2. */
export function createTokenHandler(call: Call<'tokens.create'>): Promise<Answer<'tokens.create'>> {
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
      changes: [{ table: 'tokens', op: 'put', record, expect: 0 }],
      answer: (index) => shownToWriter(call, created(record, index)),
    }
  })
}

/** Spec 4.6. */
export function cloneTokenHandler(call: Call<'tokens.clone'>): Promise<Answer<'tokens.clone'>> {
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
        changes: [{ table: 'tokens', op: 'put', record, expect: 0 }],
        answer: (index) => shownToWriter(call, created(record, index)),
      }
    }),
  )
}
