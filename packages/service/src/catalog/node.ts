import { type Answer, type Call, json } from '../handler.ts'
import { readNode } from './node-content.ts'

/** A node with its services by ID; null if there is no such node. */
export async function nodeHandler(call: Call<'catalog.node'>): Promise<Answer<'catalog.node'>> {
  const { found, watch, rights } = await readNode(call, call.params.Node)
  if (!found) return rights.mark(json(null, watch))
  const { node, services } = found
  const byId = Object.fromEntries(services.map((one) => [one.ID, one]))
  return rights.mark(json({ Node: node, Services: byId }, watch))
}
