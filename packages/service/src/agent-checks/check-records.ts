import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import { type AgentCheck, type CheckRecord, type DefinedCheck, isSameContent } from '@latchkey/catalog'

/** What no check of an agent sets. */
export const BLANK_CHECK = {
  ...{ Output: '', Interval: '', Timeout: '', ExposedPort: 0, Definition: {} },
  ...{ CreateIndex: 0, ModifyIndex: 0, Namespace: DEFAULT_NAMESPACE },
}

/** The record of a check definition. An existing check keeps its status and output. */
export function checkRecord(
  { CheckID, Name, Notes, ServiceID, Status, agent }: DefinedCheck,
  at: {
    readonly node: string
    readonly process: string
    /** AccessorID of the caller. */
    readonly owner: string
    readonly existing: CheckRecord | undefined
  },
): CheckRecord {
  const { existing } = at
  const { Output, CreateIndex } = existing ?? BLANK_CHECK
  return {
    ...BLANK_CHECK,
    ...{ Node: at.node, CheckID, Name, Status: existing?.Status ?? Status, Notes, Output, ServiceID },
    Type: agent.run.type,
    Agent: { ...agent, process: at.process, owner: at.owner },
    CreateIndex,
  }
}

/** How long a client has until its next report; undefined if the check is not a TTL check. */
export function ttlMsOf(agent: AgentCheck | null | undefined): number | undefined {
  return agent?.run.type === 'ttl' ? agent.run.ttlMs : undefined
}

/**
 * Whether a check is registered unchanged. Another token may do so: the check keeps its first owner. Another process of the
 * node may, too, unless it now tracks the deadline of a TTL check.
 */
export function isSameCheck(existing: CheckRecord, record: CheckRecord): boolean {
  return isSameContent(comparable(existing), comparable(record))
}

function comparable({ Agent, ...record }: CheckRecord): object {
  const { owner: _owner, process, ...agent } = Agent ?? {}
  return { ...record, agent, ...(ttlMsOf(Agent) === undefined ? {} : { process }) }
}
