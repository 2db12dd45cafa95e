/** The one server process that answers. Behind a load balancer each call may meet another one. Spec 9.3, 9.4. */
import { type Core, call } from '../core.ts'
import type { AgentMetrics, AgentSelf, Member } from '../generated-types.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions } from '../options.ts'
import { send } from '../send.ts'

export class Agent<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Reads configuration and version of the process.
   *
   * Endpoint `agent.self` (GET /v1/agent/self). Right: agent:read. Spec 9.3. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  self(options: CallOptions = {}): Promise<Result<M, AgentSelf>> {
    return call(this.#core, { endpoint: 'agent.self', options })
  }

  /**
   * Lists all server processes that it knows.
   *
   * Endpoint `agent.members` (GET /v1/agent/members). Right: agent:read. Spec 9.4. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  members(options: CallOptions = {}): Promise<Result<M, Member[]>> {
    return call(this.#core, { endpoint: 'agent.members', options })
  }

  /**
   * Reads the metrics of the process, counted from its start.
   *
   * Endpoint `agent.metrics` (GET /v1/agent/metrics). Right: agent:read. Spec 9.4. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  metrics(options: CallOptions = {}): Promise<Result<M, AgentMetrics>> {
    return call(this.#core, { endpoint: 'agent.metrics', options })
  }

  /**
   * Reads the metrics of the process in the text format of Prometheus.
   *
   * Endpoint `agent.metrics` (GET /v1/agent/metrics). Right: agent:read. Spec 9.4. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  async metricsText(options: CallOptions = {}): Promise<Result<M, string>> {
    const answer = send<'agent.metrics', string>(this.#core.settings, {
      endpoint: 'agent.metrics',
      query: { format: 'prometheus' },
      form: 'text',
      options,
    })
    return this.#core.shape(await answer)
  }
}
