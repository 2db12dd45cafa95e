import type { ServiceRecord } from './records/catalog-records.ts'

export const CONNECT_PROXY = 'connect-proxy'

/**
 * The service for which an instance accepts connections: its own if it is native, the destination of a proxy, or none.
 */
export function connectNameOf(service: ServiceRecord): string | undefined {
  if (service.Kind === CONNECT_PROXY) return textOf(service.Proxy.DestinationServiceName)
  return service.Connect.Native === true ? service.Service : undefined
}

/**
 * All errors of a proxy in one text, as existing services list them; undefined for a valid proxy or another kind of
 * service.
 */
export function findProxyProblem(
  service: Pick<ServiceRecord, 'Kind' | 'Proxy' | 'Port' | 'SocketPath'>,
): string | undefined {
  if (service.Kind !== CONNECT_PROXY) return undefined
  const faults = [
    textOf(service.Proxy.DestinationServiceName) === undefined
      ? 'Proxy.DestinationServiceName must be non-empty for Connect proxy services'
      : [],
    service.Port === 0 && service.SocketPath === '' ? 'Port must be set for a Connect proxy' : [],
  ].flat()
  if (faults.length === 0) return undefined
  const count = faults.length === 1 ? '1 error' : `${faults.length} errors`
  return `${count} occurred:${faults.map((fault) => `\n\t* ${fault}`).join('')}\n\n`
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
