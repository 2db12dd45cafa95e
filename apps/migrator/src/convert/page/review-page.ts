/**
 * The review of a conversion as one HTML page that works from a file. The script is inline, and the content security
 * policy forbids all requests. Content of the dump is only shown as text.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Html, html, Html as Markup } from '@latchkey/contract'
import { counted } from '../../findings/finding.ts'
import { STYLE } from '../../report/style.ts'
import { COMMAND_FUNCTIONS, SCRIPT_PARTS } from '../files/commands.ts'
import type { ConversionPlan } from '../files/plan-schema.ts'

const PAGE_STYLE = `
.review-row{display:grid;grid-template-columns:auto 1fr;gap:0 1rem;border-bottom:1px solid var(--line);padding:.4rem 0}
.review-row summary{color:var(--fg);overflow-wrap:anywhere}.review-rejected summary b{text-decoration:line-through}
.review-accept{font-size:.85rem;color:var(--dim);white-space:nowrap}
.review-name{display:block;margin:.6rem 0 .25rem;font-size:.85rem;color:var(--dim)}
.review-name input{font:inherit;width:min(100%,26rem)}
.review-tools{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin:.75rem 0}
.review-tools input,.review-tools select,button{font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.4rem;padding:.3rem .6rem}
input[aria-invalid=true]{outline:2px solid var(--nogo)}button:disabled{opacity:.5}
.review-group pre{max-height:24rem;overflow:auto}.review-tokens{margin:.25rem 0;padding-left:1.1rem}.review-tokens li{overflow-wrap:anywhere}
`

/** Maximum number of tokens on a page. A longer page would be too large for a browser. */
export const REVIEW_TOKENS_MAX = 250_000

/** Whether a plan has few enough tokens for a page. */
export function hasReview({ groups }: Pick<ConversionPlan, 'groups'>): boolean {
  return groups.reduce((sum, group) => sum + group.tokens.length, 0) <= REVIEW_TOKENS_MAX
}

export function renderReview(plan: ConversionPlan): string {
  const functions = COMMAND_FUNCTIONS.map(String).join('\n')
  const names = COMMAND_FUNCTIONS.map(({ name }) => name).join(', ')
  const script = `const COMMANDS = (() => {\n${functions}\nreturn { ${names} }\n})()\n${readFileSync(new URL('review.js', import.meta.url), 'utf8')}`
  const style = `${STYLE}${PAGE_STYLE}`
  const policy = `default-src 'none'; script-src '${hashSource(script)}'; style-src '${hashSource(style)}'`
  // The data that commands and the page need. The proof is already in the page.
  const { proof: _, upgrade: __, ...data } = plan
  const text = embed(data)
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return html`<!doctype html><html lang="en" data-digest="${digest}"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width,initial-scale=1"><title>Conversion of legacy tokens</title><style>${new Markup(style)}</style></head><body><main><h1>Conversion of legacy tokens</h1>${verdict(plan)}${numbers(plan)}${review()}${notConverted(plan)}${proof(plan)}</main><script type="application/json" id="plan">${new Markup(text)}</script><script type="application/json" id="parts">${new Markup(embed(SCRIPT_PARTS))}</script><script>${new Markup(script)}</script></body></html>\n`
    .text
}

/** The source of an inline element for the content security policy. */
function hashSource(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

/** JSON in which no text can close the script element. */
function embed(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}

function verdict({ upgrade: { converted, unconverted }, proof: { differenceCount } }: ConversionPlan): Html {
  const { verdict: found, reasons } = converted
  const name = found === 'go' ? 'go' : found === 'no-go' ? 'nogo' : 'care'
  const title = { go: 'Go', care: 'Go with care', nogo: 'No-go' }[name]
  const items = [
    differenceCount === 0
      ? 'No decision changes.'
      : `${counted(differenceCount, 'decision')} would change: do not apply this conversion.`,
    `The upgrade to 1.11 with this conversion: ${found}; without it: ${unconverted.verdict}.`,
    ...reasons,
  ]
  return html`<div class="verdict ${name}"><strong>${title}</strong><ul>${items.map((each) => html`<li>${each}</li>`)}</ul></div>`
}

function numbers(plan: ConversionPlan): Html {
  const { groups, policies, roles, methods } = plan
  const converted = groups.reduce((sum, { tokens, rejected }) => sum + (rejected ? 0 : tokens.length), 0)
  const items = [
    { value: converted, label: 'tokens get policies' },
    { value: groups.length, label: 'groups of equal decisions' },
    { value: policies.length, label: `policies (${methods.policies})` },
    { value: roles.length, label: `roles (${methods.roles})` },
    { value: plan.management.length, label: 'management tokens' },
    { value: plan.unconvertible.length + plan.refused, label: 'not convertible' },
  ]
  const list = items.map(
    ({ value, label }) => html`<li><b>${value.toLocaleString('en-US')}</b><span>${label}</span></li>`,
  )
  return html`<ul class="numbers">${list}</ul><p class="note">Exact: proven to be the minimum (for policies, the sum of policies, their rules and their links). Greedy: the best solution found.</p>`
}

function review(): Html {
  return html`<section><h2>Review</h2><noscript><p>The review needs JavaScript. The same plan is in plan.json, next to this page.</p></noscript><p class="note">Open a group to see its tokens and rules. Clear the box of a group to leave its tokens unchanged. The files below reflect these decisions; to apply names.json, run convert again with --names.</p><p id="summary" role="status"></p><div class="review-tools"><button type="button" data-file="apply-latchkey.sh">apply-latchkey.sh</button><button type="button" data-file="apply-consul.sh">apply-consul.sh</button><button type="button" data-file="names.json">names.json</button></div><div class="review-tools"><input id="filter" type="search" placeholder="Name, token or rule" aria-label="Filter groups"><select id="which" aria-label="Which groups"><option value="all">all groups</option><option value="accepted">to convert</option><option value="rejected">rejected</option></select><span id="found" class="note"></span></div><div id="groups"></div><p><button id="more" type="button" hidden>Show more</button></p></section>`
}

/** Maximum number of rows in a table; plan.json has all. */
const ROWS_MAX = 200

function notConverted({ unconvertible }: ConversionPlan): Html | undefined {
  if (unconvertible.length === 0) return undefined
  const rows = unconvertible
    .slice(0, ROWS_MAX)
    .map(
      ({ token, reason }) =>
        html`<tr><td>${token.name || 'without name'}<br><small>ID hash ${token.idHash}, token ${token.position}, line ${token.line}</small></td><td>${reason}</td></tr>`,
    )
  const more = unconvertible.length - ROWS_MAX
  const rest = more > 0 && html`<p>and ${counted(more, 'more token')}, in plan.json</p>`
  return html`<section><h2>Not convertible</h2><p class="note">Correct the rules of these tokens through the legacy API, or delete the tokens. They stay as they are.</p><table><thead><tr><th>token</th><th>why</th></tr></thead><tbody>${rows}</tbody></table>${rest}</section>`
}

function proof({
  proof: { tokens, texts, probes, random, seed, differenceCount, differences },
}: ConversionPlan): Html {
  const rows = differences.map(
    ({ token, group, question, defaultPolicy, before, after }) =>
      html`<tr><td>${token.name || 'without name'} (ID hash ${token.idHash}), group ${group}</td><td>${JSON.stringify(question)} under default policy ${defaultPolicy}: ${before ? 'allowed' : 'denied'} before, ${after ? 'allowed' : 'denied'} after</td></tr>`,
  )
  const table =
    rows.length > 0 &&
    html`<table><thead><tr><th>token</th><th>question</th></tr></thead><tbody>${rows}</tbody></table>`
  return html`<section><h2>Proof</h2><p>${counted(tokens, 'token')} with ${counted(texts, 'rule text')}: ${counted(probes, 'question')} derived from the rules and ${counted(random, 'random one')} near them (seed ${seed}). Each is decided under both default policies, by the legacy rules and by the proposed policies as the server merges them: ${counted(differenceCount, 'difference')}.</p>${table}</section>`
}
