/** The server process that answers. Behind a load balancer, each call may reach a different process. Spec 9.3, 9.4. */
import { type Core, call } from '../core.ts'
import type { Mode, Result } from '../meta.ts'
import type { CallOptions, OwnNames } from '../options.ts'
import { send } from '../request/send.ts'
import type {
  AgentCheckDefinition,
  AgentCheckUpdate,
  AgentHost,
  AgentMetrics,
  AgentSelf,
  AgentService,
  AgentServiceDefinition,
  AgentServiceRead,
  HealthCheck,
  LocalHealth,
  Member,
} from '../types.ts'

export interface FilterOptions extends CallOptions {
  /** An expression that selects the records to return. */
  readonly filter?: string | undefined
}

const FILTER_NAMES: OwnNames<FilterOptions> = { filter: true }

export interface RegisterOptions extends CallOptions {
  /** Remove checks of the service that are not in the definition. */
  readonly replaceExistingChecks?: boolean | undefined
}

const REGISTER_NAMES: OwnNames<RegisterOptions> = { replaceExistingChecks: true }

export interface MaintenanceOptions extends CallOptions {
  /** The reason, for people. */
  readonly reason?: string | undefined
}

const MAINTENANCE_NAMES: OwnNames<MaintenanceOptions> = { reason: true }

export class Agent<M extends Mode> {
  readonly #core: Core<M>

  constructor(core: Core<M>) {
    this.#core = core
  }

  /**
   * Reads the configuration and version of the process.
   *
   * Endpoint `operations.self` (GET /v1/agent/self). Right: agent:read. Spec 9.3. Errors: PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  self(options: CallOptions = {}): Promise<Result<M, AgentSelf>> {
    return call(this.#core, { endpoint: 'operations.self', options })
  }

  /**
   * Lists all server processes that this process knows.
   *
   * Endpoint `operations.members` (GET /v1/agent/members). Right: catalog. Spec 9.4. Errors: PermissionDenied
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
   * Sets the replication token for all processes of the datacenter: the secret of a global token of the primary with
   * `acl:write`. An empty string restores their settings.
   *
   * Endpoint `operations.setReplicationToken` (PUT /v1/agent/token/replication). Right: acl:write. An extension of
   * the spec, from service version 1.4.3. Errors: Invalid (field_invalid), PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  setReplicationToken(token: string, options: CallOptions = {}): Promise<Result<M, boolean>> {
    return call(this.#core, { endpoint: 'operations.setReplicationToken', json: { Token: token }, options })
  }

  /**
   * Lists the services of the server's node, by ID.
   *
   * Endpoint `agent.services` (GET /v1/agent/services). Right: catalog. Spec 9.4. Errors: Invalid (filter_invalid,
   * field_too_long), PermissionDenied (caller_unknown, privilege_missing).
   */
  services(options: FilterOptions = {}): Promise<Result<M, Record<string, AgentService>>> {
    const query = { filter: options.filter }
    return call(this.#core, { endpoint: 'agent.services', query, options, ownNames: FILTER_NAMES })
  }

  /**
   * Reads a service on the server's node.
   *
   * Endpoint `agent.service` (GET /v1/agent/service/:ServiceID). Right: catalog. An extension of the spec, from
   * service version 1.3.0. Errors: Invalid (id_missing), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  service(serviceId: string, options: CallOptions = {}): Promise<Result<M, AgentServiceRead>> {
    return call(this.#core, { endpoint: 'agent.service', params: { ServiceID: serviceId }, options })
  }

  /**
   * Lists the checks of the server's node, by ID.
   *
   * Endpoint `agent.checks` (GET /v1/agent/checks). Right: catalog. Spec 9.4. Errors: Invalid (filter_invalid,
   * field_too_long, answer_too_large), PermissionDenied (caller_unknown, privilege_missing).
   */
  checks(options: FilterOptions = {}): Promise<Result<M, Record<string, HealthCheck>>> {
    const query = { filter: options.filter }
    return call(this.#core, { endpoint: 'agent.checks', query, options, ownNames: FILTER_NAMES })
  }

  /**
   * Registers a service on the server's node, with its checks.
   *
   * Endpoint `agent.registerService` (PUT /v1/agent/service/register). Right: catalog. Spec 9.4. Errors: Invalid
   * (field_required, field_invalid), PermissionDenied (caller_unknown, privilege_missing).
   */
  registerService(
    definition: AgentServiceDefinition,
    options: RegisterOptions = {},
  ): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agent.registerService',
      json: definition,
      query: { 'replace-existing-checks': options.replaceExistingChecks },
      ownNames: REGISTER_NAMES,
      form: 'text',
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Deregisters a service on the server's node, with its checks.
   *
   * Endpoint `agent.deregisterService` (PUT /v1/agent/service/deregister/:ServiceID). Right: catalog. Spec 9.4.
   * Errors: Invalid (id_missing), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  deregisterService(serviceId: string, options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agent.deregisterService',
      params: { ServiceID: serviceId },
      form: 'text',
      options,
    })
  }

  /**
   * Starts or ends maintenance of a service on the server's node.
   *
   * Endpoint `agent.serviceMaintenance` (PUT /v1/agent/service/maintenance/:ServiceID). Right: catalog. An
   * extension of the spec. Errors: Invalid (id_missing, query_invalid), NotFound, PermissionDenied (caller_unknown,
   * privilege_missing).
   */
  serviceMaintenance(
    serviceId: string,
    enable: boolean,
    options: MaintenanceOptions = {},
  ): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agent.serviceMaintenance',
      params: { ServiceID: serviceId },
      query: { enable: String(enable), reason: options.reason },
      ownNames: MAINTENANCE_NAMES,
      form: 'text',
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Starts or ends maintenance of the server's node.
   *
   * Endpoint `agent.maintenance` (PUT /v1/agent/maintenance). Right: catalog. An extension of the spec. Errors:
   * Invalid (query_invalid), PermissionDenied (caller_unknown, privilege_missing).
   */
  maintenance(enable: boolean, options: MaintenanceOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agent.maintenance',
      query: { enable: String(enable), reason: options.reason },
      ownNames: MAINTENANCE_NAMES,
      form: 'text',
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Registers a check of the server's node or of one of its services.
   *
   * Endpoint `agentChecks.register` (PUT /v1/agent/check/register). Right: catalog. Spec 9.4. Errors: Invalid
   * (field_required, field_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  registerCheck(definition: AgentCheckDefinition, options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agentChecks.register',
      json: definition,
      form: 'text',
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Deregisters a check of the server's node.
   *
   * Endpoint `agentChecks.deregister` (PUT /v1/agent/check/deregister/:CheckID). Right: catalog. Spec 9.4. Errors:
   * Invalid (id_missing), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  deregisterCheck(checkId: string, options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agentChecks.deregister',
      params: { CheckID: checkId },
      form: 'text',
      options,
    })
  }

  /**
   * Reports a TTL check as passing, like a heartbeat.
   *
   * Endpoint `agentChecks.pass` (PUT /v1/agent/check/pass/:CheckID). Right: catalog. Spec 9.4. Errors: Invalid
   * (id_missing, field_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  passCheck(checkId: string, note?: string, options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agentChecks.pass',
      params: { CheckID: checkId },
      query: { note },
      form: 'text',
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Reports a TTL check as warning.
   *
   * Endpoint `agentChecks.warn` (PUT /v1/agent/check/warn/:CheckID). Right: catalog. Spec 9.4. Errors: Invalid
   * (id_missing, field_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  warnCheck(checkId: string, note?: string, options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agentChecks.warn',
      params: { CheckID: checkId },
      query: { note },
      form: 'text',
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Reports a TTL check as critical.
   *
   * Endpoint `agentChecks.fail` (PUT /v1/agent/check/fail/:CheckID). Right: catalog. Spec 9.4. Errors: Invalid
   * (id_missing, field_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  failCheck(checkId: string, note?: string, options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agentChecks.fail',
      params: { CheckID: checkId },
      query: { note },
      form: 'text',
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Reports the status of a TTL check.
   *
   * Endpoint `agentChecks.update` (PUT /v1/agent/check/update/:CheckID). Right: catalog. An extension of the spec.
   * Errors: Invalid (id_missing, field_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  updateCheck(
    checkId: string,
    update: AgentCheckUpdate,
    options: CallOptions = {},
  ): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agentChecks.update',
      params: { CheckID: checkId },
      json: update,
      form: 'text',
      repeatable: 'unlessPending',
      options,
    })
  }

  /**
   * Confirms that an address belongs to a member.
   *
   * Endpoint `agentProcess.join` (PUT /v1/agent/join/:Address). Right: agent:write. Spec 9.4. Errors: Invalid
   * (id_missing, field_invalid), PermissionDenied (caller_unknown, privilege_missing).
   */
  join(address: string, options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agentProcess.join',
      params: { Address: address },
      form: 'text',
      options,
    })
  }

  /**
   * Removes a failed process from the members.
   *
   * Endpoint `agentProcess.forceLeave` (PUT /v1/agent/force-leave/:Node). Right: operator:write. Spec 9.4. Errors:
   * Invalid (id_missing, field_invalid), NotFound, PermissionDenied (caller_unknown, privilege_missing).
   */
  forceLeave(node: string, options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, {
      endpoint: 'agentProcess.forceLeave',
      params: { Node: node },
      form: 'text',
      options,
    })
  }

  /**
   * Stops the server that answers.
   *
   * Endpoint `agentProcess.leave` (PUT /v1/agent/leave). Right: agent:write. An extension of the spec. Errors:
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  leave(options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, { endpoint: 'agentProcess.leave', form: 'text', options })
  }

  /**
   * Accepted for compatibility; reloads nothing, because settings come from the environment.
   *
   * Endpoint `agentProcess.reload` (PUT /v1/agent/reload). Right: agent:write. An extension of the spec. Errors:
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  reload(options: CallOptions = {}): Promise<Result<M, string>> {
    return call(this.#core, { endpoint: 'agentProcess.reload', form: 'text', repeatable: 'always', options })
  }

  /**
   * Reads facts about the server's machine.
   *
   * Endpoint `agentProcess.host` (GET /v1/agent/host). Right: operator:read. An extension of the spec. Errors:
   * PermissionDenied (caller_unknown, privilege_missing).
   */
  host(options: CallOptions = {}): Promise<Result<M, AgentHost>> {
    return call(this.#core, { endpoint: 'agentProcess.host', options })
  }

  /**
   * Reads whether a service on the server's node can accept requests. `warning` is an error with status 429, `critical`
   * and `maintenance` with 503, and an unknown service with 404.
   *
   * Endpoint `agent.serviceHealth` (GET /v1/agent/health/service/id/:ServiceID). Right: catalog. An extension of
   * the spec, from service version 1.4.1. Errors: Invalid (id_missing, answer_too_large), PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  serviceHealth(serviceId: string, options: CallOptions = {}): Promise<Result<M, LocalHealth>> {
    return call(this.#core, { endpoint: 'agent.serviceHealth', params: { ServiceID: serviceId }, options })
  }

  /**
   * Like {@link serviceHealth}, for all services on the server's node with this name.
   *
   * Endpoint `agent.healthByName` (GET /v1/agent/health/service/name/:ServiceName). Right: catalog. An extension of
   * the spec, from service version 1.4.1. Errors: Invalid (id_missing, answer_too_large), PermissionDenied
   * (caller_unknown, privilege_missing).
   */
  healthByName(service: string, options: CallOptions = {}): Promise<Result<M, LocalHealth[]>> {
    return call(this.#core, { endpoint: 'agent.healthByName', params: { ServiceName: service }, options })
  }
}
