/** The server process that answers. Behind a load balancer, each call may reach another one. Spec 9.3, 9.4. */
import { type Core, call } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions } from '../options.ts'
import { send } from '../request/send.ts'
import type { AgentMetrics, AgentSelf, Member } from '../types.ts'

export class Agent<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Reads configuration and version of the process.
   *
   * Endpoint `operations.self` (GET /v1/agent/self). Right: agent:read. Spec 9.3. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  self(options: CallOptions = {}): Promise<Result<M, AgentSelf>> {
    return call(this.#core, { endpoint: 'operations.self', options })
  }

  /**
   * Lists all server processes that it knows.
   *
   * Endpoint `operations.members` (GET /v1/agent/members). Right: agent:read. Spec 9.4. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  members(options: CallOptions = {}): Promise<Result<M, Member[]>> {
    return call(this.#core, { endpoint: 'operations.members', options })
  }

  /**
   * Reads the metrics of the process, counted from its start.
   *
   * Endpoint `operations.metrics` (GET /v1/agent/metrics). Right: agent:read. Spec 9.4. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  metrics(options: CallOptions = {}): Promise<Result<M, AgentMetrics>> {
    return call(this.#core, { endpoint: 'operations.metrics', options })
  }

  /**
   * Reads the metrics of the process in the text format of Prometheus.
   *
   * Endpoint `operations.metrics` (GET /v1/agent/metrics). Right: agent:read. Spec 9.4. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  async metricsText(options: CallOptions = {}): Promise<Result<M, string>> {
    const answer = send<'operations.metrics', string>(this.#core.settings, {
      endpoint: 'operations.metrics',
      query: { format: 'prometheus' },
      form: 'text',
      options,
    })
    return this.#core.shape(await answer)
  }

  /**
   * Sets the secret with which the datacenter replicates, for all of its processes: of a global token of the primary with
   * `acl:write`. Empty: what their settings say.
   *
   * Endpoint `operations.setReplicationToken` (PUT /v1/agent/token/replication). Right: acl:write. An extension of
   * the spec, from service version 1.4.3. Errors: Invalid (field_invalid), PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  setReplicationToken(token: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    return call(this.#core, { endpoint: 'operations.setReplicationToken', json: { Token: token }, options })
  }
}
