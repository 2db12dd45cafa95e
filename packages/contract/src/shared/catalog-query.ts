/** Query options shared by catalog and health reads. */
import type { GateName } from '../gates.ts'
import { text, texts } from './query.ts'

/** Selects records by an expression, after the rights have filtered them. */
export const filter = text('An expression; the answer has only records that match it. Since 1.5.0.', {
  gate: 'query.filter' satisfies GateName,
})

/** Options of a list of nodes, or of records on nodes. */
export const ofNodes = {
  near: text('Sort by distance from this node; `_agent` is the node of the server.'),
  'node-meta': texts('`key:value` that the node must have. May be repeated: all must match. Since 0.7.3.', {
    gate: 'catalog.nodeId' satisfies GateName,
  }),
}

/** Options of a list of the instances of one service. */
export const ofInstances = {
  ...ofNodes,
  tag: texts(
    'Tag that an instance must have. Not case-sensitive. May be repeated since 1.3.0: all must match.',
  ),
}
