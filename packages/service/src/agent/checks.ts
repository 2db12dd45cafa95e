import { CHECK_FIELDS } from '@latchkey/acl'
import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { filterFor } from '../request/filter.ts'
import { ownChecks } from './own-node.ts'
import { showAgentChecks } from './shown-service.ts'

/** Reading a check of a service needs the right to the service, and a check of the node the right to the node. */
export async function agentChecksHandler(call: Call<'agent.checks'>): Promise<Answer<'agent.checks'>> {
  const catalog = call.service.store.catalog()
  const rights = new RowRights(call)
  const checks = ownChecks(call, catalog).filter((check) => {
    const service = catalog.serviceOf(check)
    return service ? rights.service(service) : rights.node(check.Node)
  })
  const shown = showAgentChecks(checks, catalog, { call, repeated: new RepeatedContent() })
  const kept = await filterFor(call, shown, CHECK_FIELDS)
  return rights.mark(json(Object.fromEntries(kept.map((check) => [check.CheckID, check]))))
}
