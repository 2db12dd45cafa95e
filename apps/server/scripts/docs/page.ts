/** The API page: made from the OpenAPI document alone, readable without scripts. */
import { COMMON_ERRORS, type Html, html, PRODUCT_VERSION } from '@latchkey/contract'
import type { JsonSchema, OpenApiDocument } from '@latchkey/contract/openapi'
import { guideLinks, LINKS } from './guides.ts'
import { operationView, type Place, placesOf } from './operation-view.ts'
import { inline, paragraphs, schemaView, typeName } from './schema-view.ts'

export function renderPage(document: OpenApiDocument): string {
  const { info } = document
  const places = placesOf(document)
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API ${info.version}</title>
<link rel="icon" href="${LINKS.icon}" type="image/svg+xml">
<link rel="stylesheet" href="${LINKS.style}">
<script src="${LINKS.script}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
${sidebar(document, places)}
<main id="content">
<header class="intro" id="top">
<h1>${info.title} API <span class="bounds">version ${info.version}</span></h1>
<p class="bounds">Served by ${info.title} ${PRODUCT_VERSION}.</p>
${paragraphs(info.description)}
<p>This reference is also available as <a href="/v1/openapi.json">OpenAPI 3.1</a>. The examples use these variables:</p>
<pre class="command"><code>export LATCHKEY_ADDR=<span id="origin">http://127.0.0.1:8500</span>
export LATCHKEY_TOKEN=<span class="placeholder">the SecretID of a token</span></code></pre>
</header>
${authentication(document)}
${document.tags.map((tag) => group(tag, places, document))}
${headerReference(document)}
${schemaReference(document)}
${errorReference(document)}
</main>
</body>
</html>
`.text
}

function sidebar(document: OpenApiDocument, places: readonly Place[]): Html {
  return html`<nav aria-label="Operations">
<div class="bar"><a class="brand" href="#top">${document.info.title}</a>
<input id="search" type="search" placeholder="Operation, field or error" aria-label="Filter operations, fields and errors" autocomplete="off" hidden>
<button id="menu" type="button" aria-expanded="false" aria-controls="toc" hidden>Menu</button></div>
<div id="toc">
${guideLinks()}
<a class="other" href="#authentication">Authentication</a>
${document.tags.map(
  ({ name }) =>
    html`<div class="group" data-group="${name}"><a class="tag" href="#tag.${name}">${wordsOf(name)}</a><ul>${ofTag(
      places,
      name,
    ).map(
      ({ method, operation }) =>
        html`<li data-for="${operation.operationId}"><a href="#${operation.operationId}"><span class="method ${method}">${method.toUpperCase()}</span>${operation.summary}</a></li>`,
    )}</ul></div>`,
)}
<a class="other" href="#headers">Headers</a>
<a class="other" href="#schemas">Schemas</a>
<a class="other" href="#errors">Errors</a>
<p id="nothing" hidden>Nothing matches.</p>
</div>
</nav>`
}

/** Splits a camel-case name into words: `authMethods` becomes `auth methods`. */
function wordsOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}

function ofTag(places: readonly Place[], tag: string): readonly Place[] {
  return places.filter(({ operation }) => operation.tags.includes(tag))
}

function group(
  { name, description }: OpenApiDocument['tags'][number],
  places: readonly Place[],
  document: OpenApiDocument,
): Html {
  return html`<section class="group" data-group="${name}" id="tag.${name}">
<h2><a class="anchor" href="#tag.${name}">${wordsOf(name)}</a></h2>
<p>${inline(description)}</p>
${ofTag(places, name).map((place) => operationView(place, document))}
</section>`
}

/** Spec 5.1: the sources of the secret. */
function authentication({ components }: OpenApiDocument): Html {
  const rows = Object.values(components.securitySchemes).map((scheme) => {
    const how =
      scheme.type === 'http'
        ? 'Authorization: Bearer …'
        : `${scheme.name ?? ''}${scheme.in === 'query' ? '=…' : ': …'}`
    return html`<tr><th scope="row"><code>${scheme.in === 'query' ? `?${how}` : how}</code></th><td>${inline(scheme.description)}</td></tr>`
  })
  return html`<section class="reference" id="authentication"><h2><a class="anchor" href="#authentication">Authentication</a></h2>
<p>A request presents the secret of a token in one of these places. Without a secret, it has the rights of the anonymous token. An unknown secret is refused.</p>
<table class="fields"><tbody>${rows}</tbody></table></section>`
}

function headerReference({ components }: OpenApiDocument): Html {
  const rows = Object.entries(components.headers).map(
    ([name, { description, schema }]) =>
      html`<tr id="header.${name}"><th scope="row"><code>${name}</code></th><td><span class="type">${typeName(schema)}</span><div>${inline(description)}</div></td></tr>`,
  )
  return html`<section class="reference" id="headers"><h2><a class="anchor" href="#headers">Response headers</a></h2>
<table class="fields"><tbody>${rows}</tbody></table></section>`
}

function schemaReference({ components }: OpenApiDocument): Html {
  const parts = Object.entries(components.schemas).map(
    ([id, schema]) =>
      html`<details class="schema" id="schema.${id}" data-search="${`${id} ${fieldNames(schema)}`.toLowerCase()}"><summary><code>${id}</code></summary>${schemaView(schema)}</details>`,
  )
  return html`<section class="reference" id="schemas"><h2><a class="anchor" href="#schemas">Schemas</a></h2>${parts}</section>`
}

function fieldNames({ properties = {} }: JsonSchema): string {
  return Object.keys(properties).join(' ')
}

function errorReference(document: OpenApiDocument): Html {
  const rows = document['x-latchkey-errors'].map(
    ({ code, status, title }) =>
      html`<tr id="error.${code}" data-search="${`${code} ${status} ${title}`.toLowerCase()}"><th scope="row"><code>${code}</code></th><td>${status}</td><td>${title}. <a href="/docs/errors#${code}">Remedy</a></td></tr>`,
  )
  return html`<section class="reference" id="errors"><h2><a class="anchor" href="#errors">Errors</a></h2>
<p>Codes are stable. The message names the field and the limit.</p>
<p id="errors.common">Any request may be refused with ${COMMON_ERRORS.map((code, i) => html`${i > 0 && ', '}<a href="#error.${code}"><code>${code}</code></a>`)}.</p>
<table class="errors"><thead><tr><th scope="col">code</th><th scope="col">status</th><th scope="col">meaning</th></tr></thead><tbody>${rows}</tbody></table></section>`
}
