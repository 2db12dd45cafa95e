import { type Answer, type Call, json } from '../handler.ts'

/** There are no gateways to configure, so they have no services. */
export function gatewayServicesHandler(
  _call: Call<'catalog.gatewayServices'>,
): Answer<'catalog.gatewayServices'> {
  return json([], { topic: 'nodes', index: 1, isOwn: true })
}
