import { type Answer, type Call, json } from '../handler.ts'
import { readNode } from './node-content.ts'

/** A node with its services by their ids; null if there is none. */
export async function nodeHandler(call: Call<'catalog.node'>): Promise<Answer<'catalog.node'>> {
  const { found, watch } = await readNode(call, call.params.Node)
  if (!found) return json(null, watch)
  const { node, services } = found
  return json({ Node: node, Services: Object.fromEntries(services.map((one) => [one.ID, one])) }, watch)
}
