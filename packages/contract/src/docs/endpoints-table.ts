/** The endpoints as a table, for section 4.1 of docs/api.md. */
import { ENDPOINTS, type Endpoint, type EndpointName, endpoint } from '../endpoints.ts'
import { GATES } from '../gates.ts'
import { TAGS, tagOf } from '../openapi/tags.ts'
import { link } from './errors-page.ts'
import { table } from './markdown.ts'

/** One table for each group, legacy ones last. */
export function renderEndpointsTable(): string {
  const names = Object.keys(ENDPOINTS) as EndpointName[]
  return TAGS.map(({ name: tag, description }) => {
    const rows = names.filter((name) => tagOf(name) === tag).map((name) => rowOf(endpoint(name)))
    return `**${tag}.** ${description}\n\n${table(['endpoint', 'needs', 'waits', 'versions', 'errors'], rows)}`
  }).join('\n\n')
}

function rowOf({
  method,
  path,
  summary,
  right,
  blocking,
  gate,
  edition,
  errors = [],
  query = [],
}: Endpoint): string[] {
  const options = query.length === 0 ? '' : ` (${query.map((name) => `\`${name}\``).join(', ')})`
  return [
    `\`${method} /v1${path}\` ${summary}${options}`,
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
