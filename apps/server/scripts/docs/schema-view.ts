/** JSON Schemas as tables of fields. */

import { type Html, html } from '@latchkey/contract'
import type { JsonSchema, OpenApiDocument } from '@latchkey/contract/openapi'

const PREFIX = '#/components/schemas/'

/** A type in a few words, with links to the schemas it names. */
export function typeName(schema: JsonSchema): Html {
  if (schema.$ref) {
    const id = schema.$ref.replace(PREFIX, '')
    return html`<a href="#schema.${id}">${id}</a>`
  }
  if (schema.anyOf) return join(schema.anyOf.map(typeName), ' or ')
  if (schema.enum)
    return join(
      schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ' or ',
    )
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.items) return html`list of ${typeName(schema.items)}`
  const { type, format } = schema
  if (type === undefined) return html`anything`
  if (type === 'object' && !schema.properties && typeof schema.additionalProperties === 'object') {
    return html`object of ${typeName(schema.additionalProperties)}`
  }
  return html`${format ?? (typeof type === 'string' ? type : type.join(' or '))}`
}

function join(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, i) => (i === 0 ? part : html`${separator}${part}`))}`
}

/** A complete schema: its fields, or its type if it has none. */
export function schemaView(schema: JsonSchema): Html {
  if (schema.properties) return fieldTable(schema)
  return html`<p class="type">${typeName(schema)}${schema.description && html` – ${inline(schema.description)}`}</p>`
}

/** A schema with the fields of the schemas it references, so that readers can write a body without following links. */
export function foldedSchema(schema: JsonSchema, document: OpenApiDocument): Html {
  const target = objectOf(schema, document)
  if (!target) return schemaView(schema)
  // The link to the schema stands before the summary, which is a button itself.
  return html`<p class="type">${typeName(schema)}</p><details open><summary>its fields</summary>${fieldTable(target)}</details>`
}

/** The object behind references and lists; undefined if there is none, or it has no name. */
export function objectOf(schema: JsonSchema, document: OpenApiDocument): JsonSchema | undefined {
  const named = schema.$ref ?? schema.items?.$ref
  const target = named === undefined ? undefined : document.components.schemas[named.replace(PREFIX, '')]
  if (!target) return undefined
  return target.properties ? target : objectOf(target, document)
}

/** The fields of an object. Nested objects without a name are shown inline. */
function fieldTable(schema: JsonSchema): Html {
  const required = new Set(schema.required)
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const inner = field.properties ? field : field.items?.properties ? field.items : undefined
    return html`<tr>
<th scope="row"><code>${name}</code>${required.has(name) && html`<span class="required" title="always there">required</span>`}</th>
<td><span class="type">${typeName(field)}</span>${boundsOf(field)}
<div>${inline(field.description ?? '')}</div>${inner && html`<details><summary>its fields</summary>${fieldTable(inner)}</details>`}</td>
</tr>`
  })
  return html`<table class="fields"><tbody>${rows}</tbody></table>`
}

/** The limits of a value, in words. */
export function boundsOf(schema: JsonSchema): Html | undefined {
  const { minimum, maximum, maxLength, maxItems } = schema
  const bytesMax = schema['x-latchkey-bytes-max']
  const words = [
    ...(minimum === undefined || maximum !== undefined ? [] : [`at least ${minimum}`]),
    ...(minimum === undefined || maximum === undefined ? [] : [`${minimum} to ${maximum}`]),
    ...(bytesMax === undefined ? [] : [`at most ${bytesMax.toLocaleString('en')} bytes`]),
    ...(maxLength === undefined || bytesMax !== undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems.toLocaleString('en')} entries`]),
    ...(schema.default === undefined ? [] : [`default ${JSON.stringify(schema.default)}`]),
  ]
  return words.length === 0 ? undefined : html`<span class="bounds">, ${words.join(', ')}</span>`
}

// The subset of CommonMark that our descriptions use: paragraphs, `code` and **strong**.

/** A description on one line. */
export function inline(text: string): readonly Html[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part) => {
    if (part.startsWith('`')) return html`<code>${part.slice(1, -1)}</code>`
    if (part.startsWith('**')) return html`<strong>${part.slice(2, -2)}</strong>`
    return html`${part}`
  })
}

/** A description of several paragraphs. */
export function paragraphs(text: string): readonly Html[] {
  return text.split(/\n{2,}/).map((paragraph) => html`<p>${inline(paragraph)}</p>`)
}

/** Indented JSON. */
export function prettyJson(value: unknown): string {
  return JSON.stringify(value, undefined, 2)
}
