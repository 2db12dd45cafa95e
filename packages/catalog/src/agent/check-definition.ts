/** Converts a client's check definition to the check that an agent stores and runs. Spec 9.4; decisions: agent. */

import { invalidField } from '@latchkey/acl'
import {
  AclError,
  type CheckDefinition,
  limits,
  type ServiceCheckDefinition,
  utf8Length,
} from '@latchkey/contract'

/** How a check gets its status. Durations in milliseconds. */
export type CheckRun =
  | { readonly type: 'ttl'; readonly ttlMs: number }
  | {
      readonly type: 'http'
      readonly url: string
      readonly method: string
      readonly header: Readonly<Record<string, readonly string[]>>
      readonly body: string
      readonly skipsVerify: boolean
      readonly intervalMs: number
      readonly timeoutMs: number
    }
  | {
      readonly type: 'tcp'
      readonly address: string
      readonly intervalMs: number
      readonly timeoutMs: number
    }
  /** Empty service: all checks of the node. Empty node: the agent's node. */
  | { readonly type: 'alias'; readonly service: string; readonly node: string }

export interface AgentCheck {
  readonly run: CheckRun
  /** Maximum output to store, in bytes. */
  readonly outputBytesMax: number
  /** Consecutive equal results that change the status; at least 1. */
  readonly successesToPass: number
  readonly failuresToFail: number
  /** Absent: the service is never deregistered, however long the check is critical. */
  readonly deregisterAfterMs?: number
}

export interface DefinedCheck {
  readonly CheckID: string
  readonly Name: string
  readonly Notes: string
  readonly ServiceID: string
  readonly Status: string
  readonly agent: AgentCheck
}

const STATUSES: readonly string[] = ['passing', 'warning', 'critical']

export function isCheckStatus(word: string): boolean {
  return STATUSES.includes(word)
}

/** Reads the definition of one check. */
export function readCheckDefinition(body: CheckDefinition): DefinedCheck {
  const { Name = '', Status = '' } = body
  if (Name === '') throw new AclError('field_required', 'Missing check name', { field: 'Name' })
  if (Status !== '' && !isCheckStatus(Status)) throw invalidField('Status', 'Bad check status')
  const agent = agentCheckOf(body)
  return {
    CheckID: body.ID || body.CheckID || Name,
    Name,
    Notes: body.Notes ?? '',
    ServiceID: body.ServiceID ?? '',
    Status: Status || 'critical',
    agent,
  }
}

/**
 * Reads the checks of a service definition.
 * @param definitions in the order of the body: `Check` first, then `Checks`.
 */
export function readServiceChecks(
  definitions: readonly ServiceCheckDefinition[],
  service: { readonly ID: string; readonly Service: string },
): readonly DefinedCheck[] {
  const several = definitions.length > 1
  return definitions.map((definition, i) => {
    const agent = agentCheckOf(definition)
    const { Status = '' } = definition
    if (Status !== '' && !isCheckStatus(Status)) {
      throw invalidField('Status', "Status for checks must 'passing', 'warning', 'critical'")
    }
    return {
      CheckID: definition.CheckID || `service:${service.ID}${several ? `:${i + 1}` : ''}`,
      Name: definition.Name || `Service '${service.Service}' check`,
      Notes: definition.Notes ?? '',
      ServiceID: service.ID,
      Status: Status || 'critical',
      agent,
    }
  })
}

function agentCheckOf(definition: ServiceCheckDefinition): AgentCheck {
  const { OutputMaxSize = 0, SuccessBeforePassing = 0, FailuresBeforeCritical = 0 } = definition
  const run = runOf(definition)
  if (OutputMaxSize < 0) throw invalidCheck('OutputMaxSize', 'MaxOutputMaxSize must be positive')
  const after = definition.DeregisterCriticalServiceAfter ?? 0
  return {
    run,
    outputBytesMax: Math.min(
      OutputMaxSize || limits.CHECK_OUTPUT_BYTES_DEFAULT,
      limits.CHECK_OUTPUT_BYTES_MAX,
    ),
    successesToPass: Math.max(1, SuccessBeforePassing),
    failuresToFail: Math.max(1, FailuresBeforeCritical),
    ...(after > 0 ? { deregisterAfterMs: Math.max(after, limits.DEREGISTER_AFTER_MS_MIN) } : {}),
  }
}

function runOf(definition: ServiceCheckDefinition): CheckRun {
  const { HTTP = '', TCP = '', TTL = 0, Interval = 0, AliasService = '', AliasNode = '' } = definition
  refuseUnbuilt(definition)
  const isAlias = AliasService !== '' || AliasNode !== ''
  const isTimed = HTTP !== '' || TCP !== ''
  if (Interval > 0 && TTL > 0) throw invalidCheck('TTL', 'Interval and TTL cannot both be specified')
  if (isTimed && Interval <= 0) {
    throw invalidCheck('Interval', 'Interval must be > 0 for Script, HTTP, or TCP checks')
  }
  if (isTimed && isAlias) throw invalidCheck('Interval', 'Interval cannot be set for Alias checks')
  if (isAlias && TTL > 0) throw invalidCheck('TTL', 'TTL must be not be set for Alias checks')
  if (!isTimed && !isAlias && TTL <= 0) throw invalidCheck('TTL', 'TTL must be > 0 for TTL checks')
  const intervalMs = Math.max(Interval, limits.CHECK_INTERVAL_MS_MIN)
  const timeoutMs = Math.min(
    definition.Timeout || limits.CHECK_TIMEOUT_MS_DEFAULT,
    limits.CHECK_TIMEOUT_MS_MAX,
  )
  if (HTTP !== '') {
    return {
      type: 'http',
      url: HTTP,
      method: definition.Method || 'GET',
      header: definition.Header ?? {},
      body: definition.Body ?? '',
      skipsVerify: definition.TLSSkipVerify ?? false,
      intervalMs,
      timeoutMs,
    }
  }
  if (isAlias) return { type: 'alias', service: AliasService, node: AliasNode }
  return TCP === '' ? { type: 'ttl', ttlMs: TTL } : { type: 'tcp', address: TCP, intervalMs, timeoutMs }
}

/**
 * Refuses check types that are not supported. Scripts would let a caller with `service:write` run programs on the
 * server.
 */
function refuseUnbuilt({ ScriptArgs = [], DockerContainerID = '', GRPC = '' }: ServiceCheckDefinition): void {
  if (ScriptArgs.length > 0 || DockerContainerID !== '') {
    const problem = 'Scripts are disabled on this agent: it runs TTL, HTTP, TCP and alias checks'
    throw invalidField('ScriptArgs', problem)
  }
  if (GRPC !== '') throw invalidField('GRPC', 'This agent runs TTL, HTTP, TCP and alias checks')
}

const decoder = new TextDecoder()
const encoder = new TextEncoder()

/** Truncates a client's output to the stored size. A character at the cut is dropped. */
export function cutOutput(output: string, bytesMax: number): string {
  if (output.length * 3 <= bytesMax) return output
  const length = utf8Length(output)
  if (length <= bytesMax) return output
  const kept = encoder.encode(output).subarray(0, bytesMax)
  const text = decoder.decode(kept).replace(/\uFFFD$/, '')
  return `${text} ... (captured ${bytesMax} of ${length} bytes)`
}

function invalidCheck(field: string, problem: string): AclError {
  return invalidField(field, `Invalid check: ${problem}`)
}
