/** The page docs/errors.md: every code of the error table, with an anchor and advice. */
import { ACL_ERROR_CODES, ACL_ERRORS, type AclErrorCode } from '../../src/errors.ts'
import { COMMON_ERRORS } from '../../src/refusals/implied.ts'
import { referenceWordingOf } from '../../src/refusals/reference-answers.ts'
import { ROUTE_LIST } from '../../src/routes.ts'
import { ERROR_ADVICE } from './error-advice.ts'
import { linkCitations, table } from './markdown.ts'

const HEAD = `# Errors

Every refusal, by its code. Generated from \`packages/contract/src/errors.ts\`; to change this page, change the table there
and run \`pnpm generate\`.

Codes are stable and never reused; messages may improve. Programs read \`code\` in the problem document, which answers
requests with \`Accept: application/problem+json\`: see [section 7](api.md#7) of the API reference.
`

/** The whole page, with a trailing newline. */
export function renderErrorsPage(): string {
  return [HEAD, overview(), dialects(), common(), ...ACL_ERROR_CODES.map(entry)].join('\n')
}

function overview(): string {
  return `${table(['status', 'codes'], rowsByStatus(''))}\n`
}

const DIALECTS = `<a id="dialects"></a>
## Two dialects of refusals

A request of the family \`X-Consul-\` gets the statuses and texts that clients of that family match. A request that
accepts \`application/problem+json\` always gets ours, as do all requests of other families and those without a family, unless
\`X-Consul-\` comes first in \`LATCHKEY_HEADER_PREFIXES\`. \`LATCHKEY_STATUS_CODES\` sets one dialect for all:
see the [decision](decisions/dialects.md), which also says which texts differ. A status of 200 is the answer \`true\`. In the last
column, \`theirs\` means that some routes have the text of the other service. All other codes have one status and one text.
`

function dialects(): string {
  const rows = ACL_ERROR_CODES.flatMap((code) => {
    const { status, reference = status }: { status: number; reference?: number } = ACL_ERRORS[code]
    const others = exceptionsOf(code)
    const text = textOf(code)
    return status === reference && others.length === 0 && text === 'ours'
      ? []
      : [[link(code, ''), String(status), String(reference), others.join('; '), text]]
  })
  return `${DIALECTS}\n${table(['code', 'ours', 'theirs', 'where theirs differs', 'text'], rows)}\n`
}

/** The third column: whose text a refusal has. */
function textOf(code: AclErrorCode): string {
  const { fixed, reworded } = referenceWordingOf(code)
  if (fixed !== undefined) return fixed === '' ? 'none' : `\`${fixed}\``
  return reworded ? 'theirs' : 'ours'
}

/** As `403: tokens.read, tokens.clone`. */
function exceptionsOf(code: AclErrorCode): readonly string[] {
  const found = ROUTE_LIST.flatMap(({ name, referenceStatuses = {} }) =>
    Object.entries(referenceStatuses).flatMap(([key, status]) => {
      const [of, field] = key.split(' ')
      return of === code ? [{ status, text: `\`${name}\`${field === undefined ? '' : ` (${field})`}` }] : []
    }),
  )
  const byStatus = Map.groupBy(found, ({ status }) => status)
  return [...byStatus].map(([status, rows]) => `${status}: ${rows.map(({ text }) => text).join(', ')}`)
}

/** One row per status. Each code links to its anchor on docs/errors.md. */
export function rowsByStatus(page: string): readonly (readonly string[])[] {
  const byStatus = Map.groupBy(ACL_ERROR_CODES, (code) => ACL_ERRORS[code].status)
  return [...byStatus].map(([status, group]) => [
    String(status),
    group.map((code) => link(code, page)).join(', '),
  ])
}

/**
 * A code as a link. @param page path of docs/errors.md, relative to the linking page; empty on docs/errors.md itself.
 */
export function link(code: AclErrorCode, page: string): string {
  return `[\`${code}\`](${page}#${code})`
}

function common(): string {
  const any = COMMON_ERRORS.map((code) => link(code, '')).join(', ')
  return `<a id="common"></a>
## Common errors

Any request may be refused with ${any}. Further codes follow from the kind of endpoint:

- endpoints of the ACL system: ${link('acl_disabled', '')}, and most of them ${link('legacy_mode', '')};
- endpoints that need a right: ${link('caller_unknown', '')}, ${link('privilege_missing', '')};
- endpoints with a body: ${link('body_too_large', '')}, ${link('request_timeout', '')}, and with JSON ${(
    ['body_required', 'body_malformed', 'field_unknown', 'field_type', 'field_too_long'] as const
  )
    .map((code) => link(code, ''))
    .join(', ')};
- blocking queries: ${link('header_invalid', '')}; endpoints whose records have a namespace: ${link('namespace_unsupported', '')}.
`
}

function entry(code: AclErrorCode): string {
  const { status, title, source } = ACL_ERRORS[code]
  const users = ROUTE_LIST.filter(({ errors }) => errors.includes(code))
  const where =
    users.length === 0 ? '' : `\n\nReturned by ${users.map(({ name }) => `\`${name}\``).join(', ')}.`
  return `<a id="${code}"></a>
### ${code}

${status} · ${title}. ${ERROR_ADVICE[code]}${where}

From: ${linkCitations(source)}
`
}
