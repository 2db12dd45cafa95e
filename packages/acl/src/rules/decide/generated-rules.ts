/** Rule texts that the service generates. Every byte matters, because hashes cover it. */

type Entry = readonly [keyword: string, segment: string, ...attributes: string[]]

/** The rules of the built-in policy `global-management`: everything. */
export function globalManagementRules(): string {
  return print([
    scalar('acl'),
    block(['agent_prefix', '', 'policy = "write"']),
    block(['event_prefix', '', 'policy = "write"']),
    block(['key_prefix', '', 'policy = "write"']),
    scalar('keyring'),
    block(['node_prefix', '', 'policy = "write"']),
    scalar('operator'),
    block(['query_prefix', '', 'policy = "write"']),
    block(['service_prefix', '', 'policy = "write"', 'intentions = "write"']),
    block(['session_prefix', '', 'policy = "write"']),
  ])
}

/**
 * The rules implied by a service identity: register itself and its sidecar proxy, read all services and nodes.
 *
 * @param serviceName valid by the name rule of spec 2.4, so it needs no escaping.
 */
export function serviceIdentityRules(serviceName: string): string {
  return print([
    block(['service', serviceName, 'policy = "write"']),
    block(['service', `${serviceName}-sidecar-proxy`, 'policy = "write"']),
    block(['service_prefix', '', 'policy = "read"']),
    block(['node_prefix', '', 'policy = "read"']),
  ])
}

/**
 * The rules implied by a node identity: register the node, read all services.
 *
 * @param nodeName valid by the name rule of spec 2.5, so it needs no escaping.
 */
export function nodeIdentityRules(nodeName: string): string {
  return print([
    block(['node', nodeName, 'policy = "write"']),
    block(['service_prefix', '', 'policy = "read"']),
  ])
}

/** Joins entries; the text begins with a newline and does not end in one. */
function print(entries: readonly string[]): string {
  return `\n${entries.join('\n')}`
}

function scalar(kind: string): string {
  return `${kind} = "write"`
}

function block([keyword, segment, ...attributes]: Entry): string {
  return [`${keyword} "${segment}" {`, ...attributes.map((attribute) => `\t${attribute}`), '}'].join('\n')
}
