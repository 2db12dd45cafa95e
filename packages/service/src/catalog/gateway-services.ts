import { type Answer, type Call, json } from '../handler.ts'

/** There are no gateways to configure, and so no services of them. */
export function gatewayServicesHandler(
  _call: Call<'catalog.gatewayServices'>,
): Answer<'catalog.gatewayServices'> {
  return json([], { topic: 'nodes', index: 1, isOwn: true })
}
