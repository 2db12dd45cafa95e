import { createSession, nodeOfSession, randomUuid } from '@latchkey/acl'
import { nodeChanges } from '../agent/own-node.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireSessionWrite } from './rights.ts'

/** Creates a session, and registers the server's own node if needed. Decisions: sessions. */
export function createSessionHandler(call: Call<'sessions.create'>): Promise<Answer<'sessions.create'>> {
  const { body, service } = call
  const { store, nodeName: ownNode, edition, random } = service
  const node = nodeOfSession(body, ownNode)
  requireSessionWrite(call, node)
  const id = randomUuid(random)
  return decideAndCommitFor(call, () => {
    const catalog = store.catalog()
    const isOwn = node.toLowerCase() === ownNode.toLowerCase()
    // Node names match case-insensitively, but rules do not.
    requireSessionWrite(call, isOwn ? ownNode : catalog.nodeName(node), node)
    const record = createSession(body, { catalog, ownNode, edition, id })
    return {
      changes: [
        ...(isOwn ? nodeChanges(call, catalog) : []),
        { table: 'sessions', op: 'put', record, expect: 0 },
      ],
      answer: () => json({ ID: record.ID }),
    }
  })
}
