import type { ServiceRecord } from './records/catalog-records.ts'

export const CONNECT_PROXY = 'connect-proxy'

/**
 * The service for which an instance accepts connections: its own if it is native, the destination of a proxy, or none.
 */
export function connectNameOf(service: ServiceRecord): string | undefined {
  if (service.Kind === CONNECT_PROXY) return textOf(service.Proxy.DestinationServiceName)
  return service.Connect.Native === true ? service.Service : undefined
}

type Proxied = Pick<ServiceRecord, 'Kind' | 'Proxy' | 'Port' | 'SocketPath' | 'Connect'>

/** What a gateway must not have. */
const PROXY_FIELDS = [
  ...['DestinationServiceName', 'DestinationServiceID', 'LocalServiceAddress', 'LocalServicePort'],
  'Upstreams',
]

/**
 * All errors of a proxy or gateway in one text, as existing services list them; undefined for a valid one or another kind
 * of service.
 */
export function findProxyProblem(service: Proxied): string | undefined {
  const faults = service.Kind === CONNECT_PROXY ? faultsOfProxy(service) : faultsOfGateway(service)
  if (faults.length === 0) return undefined
  const count = faults.length === 1 ? '1 error' : `${faults.length} errors`
  return `${count} occurred:${faults.map((fault) => `\n\t* ${fault}`).join('')}\n\n`
}

function faultsOfProxy({ Proxy: proxy, Port, SocketPath, Connect }: Proxied): readonly string[] {
  const upstreams = (proxy.Upstreams ?? []) as readonly Readonly<Record<string, unknown>>[]
  const bound = upstreams.flatMap(({ LocalBindAddress, LocalBindPort }) =>
    LocalBindPort ? `"${textOf(LocalBindAddress) ?? '127.0.0.1'}:${LocalBindPort}"` : [],
  )
  const repeated = new Set(bound.filter((place, i) => bound.indexOf(place) < i))
  return [
    ...(textOf(proxy.DestinationServiceName) === undefined
      ? ['Proxy.DestinationServiceName must be non-empty for Connect proxy services']
      : []),
    ...(Port === 0 && SocketPath === '' ? ['Port must be set for a Connect proxy'] : []),
    ...(Connect.Native === true ? ['A Proxy cannot also be Connect Native, only typical services'] : []),
    ...[...repeated].map(
      (place) =>
        `upstreams cannot contain duplicates by local bind address and port; ${place} is specified twice`,
    ),
  ]
}

function faultsOfGateway({ Kind, Proxy: proxy, Port }: Proxied): readonly string[] {
  if (!/^(mesh|terminating|ingress)-gateway$/.test(Kind)) return []
  const isSet = (value: unknown) => (Array.isArray(value) ? value.length > 0 : Boolean(value))
  return [
    ...(Port === 0 ? [`Port must be non-zero for a ${Kind}`] : []),
    ...PROXY_FIELDS.filter((name) => isSet(proxy[name as keyof typeof proxy])).map(
      (name) => `The Proxy.${name} configuration is invalid for a ${Kind}`,
    ),
  ]
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
