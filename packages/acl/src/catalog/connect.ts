import type { ServiceRecord } from '../records/catalog-records.ts'

/** The kind of a proxy that stands for one service. */
export const CONNECT_PROXY = 'connect-proxy'

/** The service that an instance connects for: its own if it is native, that of the proxy, or none. */
export function connectNameOf(service: ServiceRecord): string | undefined {
  if (service.Kind === CONNECT_PROXY) return textOf(service.Proxy.DestinationServiceName)
  return service.Connect.Native === true ? service.Service : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
