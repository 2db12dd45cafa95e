/** One operation: what it does, its parameters and body, its answers, and its refusals. */
import {
  ACL_ERRORS,
  type AclErrorCode,
  BLOCKING_QUERY_OPTIONS,
  COMMON_ERRORS,
  type Html,
  html,
} from '@latchkey/contract'
import {
  EXAMPLES,
  type Gate,
  type MediaType,
  type OpenApiDocument,
  type Operation,
  type Parameter,
} from '@latchkey/contract/openapi'
import {
  boundsOf,
  foldedSchema,
  inline,
  objectOf,
  paragraphs,
  prettyJson,
  schemaView,
  typeName,
} from './schema-view.ts'

/** An operation and its method and path. */
export interface Place {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** All operations in the order of the document. */
export function placesOf(document: OpenApiDocument): readonly Place[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  )
}

export function operationView(place: Place, document: OpenApiDocument): Html {
  const { method, path, operation } = place
  const { operationId: id, summary, description } = operation
  return html`<section class="operation" id="${id}" data-search="${searchText(place, document)}">
<h3><a class="anchor" href="#${id}">${summary}</a>${operation.deprecated && html`<span class="chip warn">deprecated</span>`}</h3>
<p class="line"><span class="method ${method}">${method.toUpperCase()}</span><code class="path">${breakable(path)}</code></p>
<ul class="chips">${chips(operation)}</ul>
${paragraphs(description)}
<div class="columns">
<div>
${parameterView(operation)}
${bodyView(operation, document)}
${answerView(operation)}
${refusalView(operation)}
</div>
<div class="examples">${exampleView(place, document)}</div>
</div>
</section>`
}

/** Long paths may break after a slash. */
function breakable(path: string): readonly Html[] {
  return path.split('/').map((step, i) => (i === 0 ? html`${step}` : html`/<wbr>${step}`))
}

/** The text that the filter searches: the names, fields and own refusal codes of an operation. */
function searchText({ method, path, operation }: Place, document: OpenApiDocument): string {
  const { operationId, summary, tags, parameters = [], requestBody, responses } = operation
  const contents = [requestBody?.content ?? {}, responses[200]?.content ?? {}]
  const schemas = contents.flatMap((content) => Object.values(content).map(({ schema }) => schema))
  const fields = schemas.flatMap((schema) => {
    const { properties = {} } = objectOf(schema, document) ?? schema
    return Object.keys(properties)
  })
  const codes = Object.values(responses).flatMap((response) => response['x-latchkey-errors'] ?? [])
  const words = [method, path, operationId, summary, ...tags, operation['x-latchkey-right']]
  const found = [
    ...parameters.map(({ name }) => name),
    ...fields,
    ...codes.filter((code) => !ANY_REQUEST.has(code)),
  ]
  return [...new Set([...words, ...found])].join(' ').toLowerCase()
}

/** What each right means to a caller. Spec 4.1. */
const RIGHTS: Readonly<Record<string, string>> = {
  none: 'no token needed',
  self: 'any token',
  key: 'a right on each key',
}

function chips(operation: Operation): readonly Html[] {
  const right = operation['x-latchkey-right']
  const spec = operation['x-latchkey-spec']
  const gate = operation['x-latchkey-gate']
  return [
    html`<li class="chip right">${RIGHTS[right] ?? html`needs <code>${right}</code>`}</li>`,
    html`<li class="chip">${spec === 'extension' ? html`<a href="/docs/api#extensions">extension</a>` : html`<a href="/docs/api#${spec}">section ${spec}</a>`}</li>`,
    ...(gate ? [html`<li class="chip" title="${gate.sentence}">${versionsOf(gate)}</li>`] : []),
    ...(operation['x-latchkey-blocking'] ? [html`<li class="chip">can wait for changes</li>`] : []),
    ...(operation['x-latchkey-refused-in-legacy-mode']
      ? [html`<li class="chip">not in legacy mode</li>`]
      : []),
  ]
}

function versionsOf({ since, until }: Gate): string {
  if (since !== undefined && until !== undefined) return `from ${since}, before ${until}`
  return until === undefined ? `from ${since ?? ''}` : `before ${until}`
}

const ELSEWHERE: ReadonlySet<string> = new Set([...BLOCKING_QUERY_OPTIONS, 'pretty'])

/** Shows the operation's own parameters first; those that many operations share are collapsed. */
function parameterView({ parameters = [] }: Operation): Html {
  const own = parameters.filter(({ name }) => !ELSEWHERE.has(name))
  const shared = parameters.filter(({ name }) => ELSEWHERE.has(name))
  const title = shared.length > 1 ? 'Waiting, consistency, form' : 'Form of the answer'
  return html`${own.length > 0 && html`<h4>Parameters</h4>${parameterTable(own)}`}
<details><summary>${title}</summary>${parameterTable(shared)}</details>`
}

function parameterTable(parameters: readonly Parameter[]): Html {
  const rows = parameters.map(
    (parameter) => html`<tr>
<th scope="row"><code>${parameter.name}</code>${parameter.required && html`<span class="required">required</span>`}</th>
<td><span class="type">${parameter.allowEmptyValue ? 'flag' : typeName(parameter.schema)}, in ${parameter.in}</span>${boundsOf(parameter.schema)}
<div>${inline(parameter.description)}</div></td>
</tr>`,
  )
  return html`<table class="fields"><tbody>${rows}</tbody></table>`
}

function bodyView({ requestBody }: Operation, document: OpenApiDocument): Html | undefined {
  if (!requestBody) return undefined
  const { required, content } = requestBody
  return html`<h4>Body${!required && html` <span class="bounds">may be left out</span>`}</h4>${Object.entries(
    content,
  ).map(([type, { schema }]) => html`<p class="media">${type}</p>${foldedSchema(schema, document)}`)}`
}

function contentView(content: Readonly<Record<string, MediaType>>): readonly Html[] {
  return Object.entries(content).map(
    ([type, { schema }]) => html`<p class="media">${type}</p>${schemaView(schema)}`,
  )
}

function answerView({ responses }: Operation): Html | undefined {
  const answer = responses[200]
  if (!answer) return undefined
  const headers = Object.keys(answer.headers ?? {})
  return html`<h4>Answer</h4>${contentView(answer.content ?? {})}
<p class="bounds">Headers: ${headers.map((name, i) => html`${i > 0 && ', '}<a href="#header.${name}">${name}</a>`)}</p>`
}

const ANY_REQUEST: ReadonlySet<string> = new Set(COMMON_ERRORS)

/** Refusals by status, without those common to all requests. */
function refusalView({ responses }: Operation): Html {
  const rows = Object.entries(responses).flatMap(([status, response]) => {
    const own = (response['x-latchkey-errors'] ?? []).filter((code) => !ANY_REQUEST.has(code))
    return own.length === 0
      ? []
      : [html`<tr><th scope="row">${status}</th><td><div class="codes">${own.map(codeChip)}</div></td></tr>`]
  })
  return html`<h4>Refusals</h4>${rows.length > 0 && html`<table class="refusals"><tbody>${rows}</tbody></table>`}
<p class="bounds">${rows.length > 0 ? 'Besides' : 'Only'} <a href="#errors.common">those of any request</a>.</p>`
}

function codeChip(code: string): Html {
  const title = ACL_ERRORS[code as AclErrorCode].title
  return html`<a class="chip" href="#error.${code}" title="${title}"><code>${code}</code></a>`
}

function exampleView({ method, operation }: Place, document: OpenApiDocument): Html {
  const tokenHeader = document.components.securitySchemes.token?.name ?? 'Authorization'
  const [answer] = Object.values(operation.responses[200]?.content ?? {})
  const shown = Object.entries(answer?.examples ?? {}).flatMap(([name, example]) =>
    'value' in example ? [{ title: example.summary ?? name, value: example.value }] : [],
  )
  return html`<h4>Example</h4><pre class="command"><code>${curlExample(method, operation, tokenHeader)}</code></pre>
${shown.map(
  (
    { title, value },
    i,
  ) => html`<details ${i === 0 && html`open`}><summary>${shown.length > 1 ? title : 'answers'}</summary>
<pre><code>${typeof value === 'string' ? exampleText(value, operation) : prettyJson(value)}</code></pre></details>`,
)}`
}

/** Answers that are text are shown as text, and JSON strings as JSON. */
function exampleText(value: string, operation: Operation): string {
  return 'application/json' in (operation.responses[200]?.content ?? {}) ? JSON.stringify(value) : value
}

/**
 * A shell command. It reads the address and the secret from `LATCHKEY_ADDR` and `LATCHKEY_TOKEN`, so it contains no
 * secret.
 *
 * @param tokenHeader name of the header that carries the secret.
 */
function curlExample(method: string, operation: Operation, tokenHeader: string): string {
  const { path, body } = EXAMPLES[operation.operationId]
  const lines = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "$LATCHKEY_ADDR${path}"`,
    ...(operation.security.length > 0 ? [`-H "${tokenHeader}: $LATCHKEY_TOKEN"`] : []),
    ...(body === undefined ? [] : [`--data-binary ${shellQuote(bodyText(body))}`]),
  ]
  return lines.join(' \\\n  ')
}

function bodyText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 1).replace(/\n\s*/g, ' ')
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
