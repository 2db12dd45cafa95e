/** The endpoints as a table, for section 4.1 of docs/api.md. */
import { RESOURCES } from '../../src/contract.ts'
import { GATES } from '../../src/gates.ts'
import { type AnyRoute, ROUTE_LIST } from '../../src/routes.ts'
import { SHARED_QUERY_OPTIONS } from '../../src/shared/query.ts'
import { link } from './errors-page.ts'
import { table } from './markdown.ts'

/** One table per resource, with the legacy API last. */
export function renderEndpointsTable(): string {
  return Object.entries(RESOURCES)
    .map(([resource, description]) => {
      const rows = ROUTE_LIST.filter((route) => route.resource === resource).map(rowOf)
      return `**${resource}.** ${description}\n\n${table(['endpoint', 'needs', 'waits', 'versions', 'errors'], rows)}`
    })
    .join('\n\n')
}

function rowOf({
  method,
  path,
  summary,
  right,
  blocking,
  gate,
  edition,
  errors,
  schemas,
}: AnyRoute): string[] {
  const query = Object.keys(schemas.query.shape).filter((name) => !SHARED_QUERY_OPTIONS.includes(name))
  const options = query.length === 0 ? '' : ` (${query.map((name) => `\`${name}\``).join(', ')})`
  return [
    `\`${method} ${path}\` ${summary}${options}`,
    right === 'none' ? 'nothing' : `\`${right}\``,
    blocking ? 'yes' : '',
    [gate === undefined ? 'all' : versionsOf(GATES[gate]), ...(edition ? ['extended edition'] : [])].join(
      ', ',
    ),
    errors.map((code) => link(code, 'errors.md')).join(' '),
  ]
}

function versionsOf({ since, until }: { readonly since?: string; readonly until?: string }): string {
  if (until === undefined) return `from ${since ?? ''}`
  return since === undefined ? `before ${until}` : `${since} to before ${until}`
}
