/** Rule texts that the service generates. Every byte matters, because hashes cover it. */

/** The rules of the built-in policy `global-management`: everything. */
export function globalManagementRules(): string {
  return [
    '\nacl = "write"',
    block('agent_prefix', '', 'write'),
    block('event_prefix', '', 'write'),
    block('key_prefix', '', 'write'),
    'keyring = "write"',
    block('node_prefix', '', 'write'),
    'operator = "write"',
    block('query_prefix', '', 'write'),
    block('service_prefix', '', 'write').replace('\n}', '\n\tintentions = "write"\n}'),
    block('session_prefix', '', 'write'),
  ].join('\n')
}

/**
 * The rules implied by a service identity: register itself and its sidecar proxy, read all services and nodes.
 *
 * @param serviceName valid by the name rule of spec 2.4, so it needs no escaping.
 */
export function serviceIdentityRules(serviceName: string): string {
  const own = [serviceName, `${serviceName}-sidecar-proxy`].map((name) => block('service', name, 'write'))
  return ['', ...own, block('service_prefix', '', 'read'), block('node_prefix', '', 'read')].join('\n')
}

/**
 * The rules implied by a node identity: register the node, read all services.
 *
 * @param nodeName valid by the name rule of spec 2.5, so it needs no escaping.
 */
export function nodeIdentityRules(nodeName: string): string {
  return ['', block('node', nodeName, 'write'), block('service_prefix', '', 'read')].join('\n')
}

function block(keyword: string, segment: string, level: string): string {
  return `${keyword} "${segment}" {\n\tpolicy = "${level}"\n}`
}
