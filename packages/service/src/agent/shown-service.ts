/** Services as their agent shows them. */
import { type Catalog, type CheckRecord, type ServiceRecord, showCheck, showNodeService } from '@latchkey/acl'
import type { AgentService, HealthCheck } from '@latchkey/contract'
import { Fingerprint } from '../blocking/shown.ts'
import type { Context } from '../handler.ts'
import type { RepeatedContent } from '../reply/repeated-content.ts'

/** Without indexes. `Meta` is never null, and empty proxies are left out. */
export function showAgentService(record: ServiceRecord, { records: { view } }: Context): AgentService {
  const {
    CreateIndex: _created,
    ModifyIndex: _modified,
    Proxy: proxy,
    Connect: connect,
    ...shown
  } = showNodeService(record, view)
  return {
    ...shown,
    ...(view.serviceMeta ? { Meta: record.Meta ?? {} } : {}),
    ...(proxy && Object.keys(record.Proxy).length > 0 ? { Proxy: record.Proxy } : {}),
    ...(connect && Object.keys(connect).length > 0 ? { Connect: connect } : {}),
  }
}

/**
 * Checks with their latest output, which may not be in the catalog yet.
 *
 * @param repeated counts what other elements of the same answer have shown.
 * @throws AclError `answer_too_large`.
 */
export function showAgentChecks(
  checks: readonly CheckRecord[],
  catalog: Catalog,
  { call, repeated }: { readonly call: Context; readonly repeated: RepeatedContent },
): HealthCheck[] {
  const { records, service } = call
  return checks.map((record) => {
    const of = catalog.serviceOf(record)
    repeated.add(record, () => records.check(record, of).length)
    repeated.addTags(of)
    const shown = showCheck(record, of, records.view)
    return { ...shown, Output: service.localChecks.outputOf(record.CheckID) ?? shown.Output }
  })
}

/** 16 hexadecimal digits. */
export function contentHashOf(service: AgentService): string {
  const fingerprint = new Fingerprint()
  fingerprint.add(JSON.stringify(service))
  const [, low = '', high = ''] = fingerprint.text.split(' ')
  return [low, high].map((digits) => Number(digits).toString(16).padStart(8, '0')).join('')
}
