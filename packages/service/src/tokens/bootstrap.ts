import { showToken } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type Context, type Handler, json } from '../handler.ts'
import { isSecondary } from '../options.ts'
import { created, decideAndCommit } from '../store/commit.ts'
import { bootstrapChanges, managementToken } from './builtins.ts'

/**
 * Works once, and afterwards only with a reset file. Decisions: bootstrap. A finished bootstrap is final, so the refusal needs
 * no database query. If another process has bootstrapped unnoticed, the commit conflicts and the retry refuses.
 */
export const bootstrapHandler: Handler<'tokens.bootstrap'> = (call) => {
  const { service } = call
  if (isSecondary(service)) {
    const message = `Permission denied: bootstrap in the primary datacenter ${JSON.stringify(service.primaryDatacenter)}`
    throw new AclError('bootstrap_elsewhere', message)
  }
  return decideAndCommit(service.store, async () => {
    const directory = service.store.directory()
    const done = directory.system('bootstrap')
    if (done) await requireReset(call, done.ModifyIndex)
    const record = managementToken('Bootstrap Token (Global Management)', service.random, service.clock.now())
    return {
      changes: bootstrapChanges(record, directory),
      answer: (index) => {
        const showNamespace = service.edition === 'extended'
        const token = showToken(created(record, index), { directory, showSecret: true, showNamespace })
        return json({ ID: token.SecretID, ...token })
      },
    }
  })
}

/** @throws AclError `bootstrap_done`, unless a reset file names the index. */
async function requireReset(call: Context, resetIndex: number): Promise<void> {
  const reset = await call.service.cluster.takeBootstrapReset(resetIndex)
  if (reset === 'accepted') return
  if (reset === 'none') {
    throw new AclError(
      'bootstrap_done',
      `Permission denied: ACL bootstrap no longer allowed (reset index: ${resetIndex})`,
    )
  }
  throw new AclError(
    'bootstrap_reset_invalid',
    `Invalid bootstrap reset index (specified ${reset.wrong}, reset index: ${resetIndex})`,
  )
}
